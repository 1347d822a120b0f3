package io.upfdataplane.dataplane.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class LibcTest {
    @Test
    void aFailedCallReturnsItsErrno() {
        assertThat(Libc.close(-1)).isEqualTo(-9);
        assertThat(Libc.open("/no/such/file", Libc.O_RDONLY)).isEqualTo(-Errno.ENOENT);
        assertThat(Libc.ifNameToIndex("nosuchdevice0")).isEqualTo(-Errno.ENODEV);
        assertThat(Libc.mmap(0, Libc.PROT_READ, Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS, -1, 0))
                .isEqualTo(-Errno.EINVAL);
    }

    @Test
    void aFailureNamesTheCallItsArgumentAndErrno() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(128);
            mask.set(ValueLayout.JAVA_LONG, 900 / 64 * 8L, 1L << 900 % 64);
            assertThatThrownBy(() -> Errno.orThrow(
                            Libc.schedSetaffinity(0, mask.byteSize(), mask.address()), "sched_setaffinity(cpu 900)"))
                    .isInstanceOf(Errno.CallFailed.class)
                    .hasMessage("sched_setaffinity(cpu 900): EINVAL");
        }
    }

    @Test
    void mapsWritesAndUnmapsMemory() {
        long address = Libc.mmap(4096, Libc.PROT_READ | Libc.PROT_WRITE, Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS, -1, 0);
        assertThat(address).isPositive();
        MemorySegment.ofAddress(address).reinterpret(4096).fill((byte) 7);
        assertThat(Libc.munmap(address, 4096)).isZero();
    }

    @Test
    void aWrittenEventIsSeenByPollAndRead() {
        int fd = Libc.eventfd(0, 0);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pollfd = arena.allocate(Libc.POLLFD_SIZE, 4);
            pollfd.set(ValueLayout.JAVA_INT, 0, fd);
            pollfd.set(ValueLayout.JAVA_SHORT, 4, Libc.POLLIN);
            assertThat(Libc.poll(pollfd.address(), 1, 0)).isZero();
            MemorySegment one = arena.allocateFrom(ValueLayout.JAVA_LONG, 1);
            assertThat(Libc.write(fd, one.address(), 8)).isEqualTo(8);
            assertThat(Libc.poll(pollfd.address(), 1, 1000)).isEqualTo(1);
            MemorySegment timespec = arena.allocate(16, 8);
            assertThat(Libc.ppoll(pollfd.address(), 1, timespec.address())).isEqualTo(1);
            assertThat(Libc.read(fd, one.address(), 8)).isEqualTo(8);
        } finally {
            assertThat(Libc.close(fd)).isZero();
        }
    }
}
