package io.upfdataplane.dataplane.port;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.upfdataplane.dataplane.memory.Native;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

class SharedFramePoolTest {
    @Test
    void handsOutEveryFrameOnceAndNoMore() throws Exception {
        try (SharedFramePool pool = SharedFramePool.open(1000, 2048, false)) {
            FramePool.Cache cache = pool.newCache();
            Set<Long> seen = new HashSet<>();
            for (long chunk = cache.take(); chunk != 0; chunk = cache.take()) {
                assertThat(seen.add(chunk)).isTrue();
                assertThat((chunk - pool.baseAddress()) % 2048).isZero();
                assertThat(chunk - pool.baseAddress()).isBetween(0L, pool.sizeBytes() - 2048);
            }
            assertThat(seen).hasSize(1000);
            assertThat(pool.free()).isZero();
            seen.forEach(chunk -> cache.give(chunk + FramePool.HEADROOM + 77));
            assertThat(pool.free()).isEqualTo(1000);
        }
    }

    @Test
    void theRegionIsPageAlignedAndWritableToItsLastByte() throws Exception {
        try (SharedFramePool pool = SharedFramePool.open(3, 4096, false)) {
            assertThat(pool.baseAddress() % 4096).isZero();
            Native.MEMORY.set(Native.BYTE, pool.baseAddress() + pool.sizeBytes() - 1, (byte) 1);
        }
    }

    @Test
    void goesWithoutHugepagesWhereThereAreNone() throws Exception {
        try (SharedFramePool pool = SharedFramePool.open(64, 2048, true)) {
            assertThat(pool.frames()).isEqualTo(64);
        }
    }

    @Test
    void aClosedCacheLeavesItsFramesToTheOthers() throws Exception {
        try (SharedFramePool pool = SharedFramePool.open(256, 2048, false)) {
            FramePool.Cache first = pool.newCache();
            long chunk = first.take();
            first.give(chunk);
            first.close();
            FramePool.Cache second = pool.newCache();
            int taken = 0;
            while (second.take() != 0) {
                taken++;
            }
            assertThat(taken).isEqualTo(256);
        }
    }

    @Test
    void refusesAFrameSizeItCannotServe() {
        assertThatThrownBy(() -> SharedFramePool.open(64, 3000, false))
                .isInstanceOf(PortRefused.class)
                .hasMessage("FramePool: frame size 3000; 2048 or 4096; set umem.frameSize");
    }

    /** Four threads take frames and give them back by way of another thread, as workers that rehome packets do. */
    @Test
    void noFrameIsLostOrHandedOutTwiceUnderContention() throws Exception {
        int frames = 2048;
        int threads = 4;
        try (SharedFramePool pool = SharedFramePool.open(frames, 2048, false);
                ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            AtomicIntegerArray taken = new AtomicIntegerArray(frames);
            ConcurrentLinkedQueue<Long> between = new ConcurrentLinkedQueue<>();
            List<Future<Long>> runs = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int seed = t;
                FramePool.Cache cache = pool.newCache();
                Callable<Long> run = () -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    long moved = 0;
                    for (int i = 0; i < 300_000; i++) {
                        if (random.nextInt(2) == 0) {
                            long chunk = cache.take();
                            if (chunk != 0) {
                                int index = (int) ((chunk - pool.baseAddress()) / 2048);
                                assertThat(taken.getAndIncrement(index)).isZero();
                                between.add(chunk);
                                moved++;
                            }
                        } else {
                            Long chunk = between.poll();
                            if (chunk != null) {
                                taken.decrementAndGet((int) ((chunk - pool.baseAddress()) / 2048));
                                cache.give(chunk + 5);
                            }
                        }
                    }
                    return moved;
                };
                runs.add(executor.submit(run));
            }
            long moved = 0;
            for (Future<Long> run : runs) {
                moved += run.get();
            }
            assertThat(moved).isGreaterThan(frames);
            assertThat(pool.free() + between.size()).isEqualTo(frames);
        }
    }
}
