package io.upfdataplane.dataplane.match;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.memory.Block;
import io.upfdataplane.dataplane.memory.BlockSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DirectoryTest {
    private final List<Block> retired = new ArrayList<>();

    private void close(Directory directory) {
        directory.close();
        retired.forEach(Block::close);
    }

    @Test
    void agreesWithAMapOverManyChanges() {
        Directory directory = new Directory(100, BlockSource.HEAP, retired::add);
        Map<Integer, Long> model = new HashMap<>();
        Random random = new Random(7);
        for (int step = 0; step < 200_000; step++) {
            int key = random.nextInt(3000) * 0x01000193;
            if (random.nextBoolean()) {
                long value = Directory.valueOf(random.nextLong(1, 1L << 47), random.nextInt(64));
                directory.reserve(1);
                directory.put(key, value);
                model.put(key, value);
            } else {
                directory.remove(key);
                model.remove(key);
            }
        }
        for (int i = 0; i < 3000; i++) {
            int key = i * 0x01000193;
            assertThat(directory.find(key)).isEqualTo(model.getOrDefault(key, Directory.NONE));
        }
        assertThat(directory.size()).isEqualTo(model.size());
        assertThat(retired).isNotEmpty();
        close(directory);
    }

    @Test
    void holdsKeyZeroAndAllOnes() {
        Directory directory = new Directory(10, BlockSource.HEAP, retired::add);
        directory.reserve(2);
        directory.put(0, Directory.valueOf(64, 3));
        directory.put(-1, Directory.valueOf(128, 0));
        assertThat(Directory.slotOf(directory.find(0))).isEqualTo(64);
        assertThat(Directory.workerOf(directory.find(0))).isEqualTo(3);
        assertThat(Directory.slotOf(directory.find(-1))).isEqualTo(128);
        close(directory);
    }

    /** Keys that stay are found with their own value at every moment, whatever happens to the others. */
    @Test
    void neverMisleadsAReader() throws InterruptedException {
        Directory directory = new Directory(64, BlockSource.HEAP, retired::add);
        directory.reserve(100);
        for (int key = 0; key < 100; key++) {
            directory.put(key, Directory.valueOf(key + 1, 0));
        }
        AtomicBoolean done = new AtomicBoolean();
        AtomicLong wrong = new AtomicLong();
        AtomicLong looks = new AtomicLong();
        Thread reader = new Thread(() -> {
            while (!done.get()) {
                Directory.Table table = directory.table();
                for (int key = 0; key < 100; key++) {
                    if (Directory.slotOf(table.find(key)) != key + 1) {
                        wrong.incrementAndGet();
                    }
                    long other = table.find(1000 + key);
                    if (other != Directory.NONE && Directory.slotOf(other) != 1001 + key) {
                        wrong.incrementAndGet();
                    }
                }
                looks.incrementAndGet();
            }
        });
        reader.start();
        Random random = new Random(9);
        for (int step = 0; step < 100_000 || looks.get() < 10; step++) {
            int key = 1000 + random.nextInt(2000);
            if (random.nextBoolean()) {
                directory.reserve(1);
                directory.put(key, Directory.valueOf(key + 1, 0));
            } else {
                directory.remove(key);
            }
        }
        done.set(true);
        reader.join();
        assertThat(wrong.get()).isZero();
        close(directory);
    }

    @Test
    void seidIndexAgreesWithAMap() {
        SeidIndex index = new SeidIndex();
        Map<Long, Long> model = new HashMap<>();
        Random random = new Random(11);
        for (int step = 0; step < 200_000; step++) {
            long seid = random.nextInt(1, 5000) * 0x1_0000_0001L;
            if (model.containsKey(seid)) {
                assertThat(index.get(seid)).isEqualTo(model.get(seid));
                index.remove(seid);
                model.remove(seid);
            } else {
                assertThat(index.get(seid)).isZero();
                index.put(seid, step + 1);
                model.put(seid, step + 1L);
            }
        }
        assertThat(index.size()).isEqualTo(model.size());
        model.forEach((seid, slot) -> assertThat(index.get(seid)).isEqualTo(slot));
    }
}
