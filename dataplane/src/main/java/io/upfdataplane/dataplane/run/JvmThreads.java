package io.upfdataplane.dataplane.run;

import io.upfdataplane.dataplane.ffi.Errno;
import io.upfdataplane.dataplane.ffi.Libc;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Moves all threads of this process, those of the virtual machine included; threads started later inherit it. */
final class JvmThreads {
    private static final int MASK_BYTES = 128;
    private static final int ESRCH = 3;

    private JvmThreads() {}

    static void pinTo(List<Integer> cpus) throws IOException {
        try (Arena arena = Arena.ofConfined();
                DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            MemorySegment mask = arena.allocate(MASK_BYTES, 8);
            for (int cpu : cpus) {
                long word = mask.getAtIndex(ValueLayout.JAVA_LONG, cpu / 64);
                mask.setAtIndex(ValueLayout.JAVA_LONG, cpu / 64, word | 1L << cpu % 64);
            }
            for (Path thread : threads) {
                int id = Integer.parseInt(thread.getFileName().toString());
                int result = Libc.schedSetaffinity(id, MASK_BYTES, mask.address());
                // A thread may have ended between the listing and the call.
                if (result != -ESRCH) {
                    Errno.orThrow(result, "sched_setaffinity(thread " + id + ", cpus " + cpus + ")");
                }
            }
        }
    }
}
