package io.upfdataplane.dataplane.port;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.memory.Native;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class SharedFramePoolIT {
    private static final Path RESERVED = Path.of("/proc/sys/vm/nr_hugepages");
    private static final int PAGES = 4;

    private static int reserved() throws IOException {
        return Integer.parseInt(Files.readString(RESERVED).trim());
    }

    @Test
    void liesInHugepagesWhereThereAreSome() throws Exception {
        Assumptions.assumeTrue(Files.isWritable(RESERVED), "skipped: " + RESERVED + " cannot be written");
        int before = reserved();
        Files.writeString(RESERVED, String.valueOf(before + PAGES));
        try {
            Assumptions.assumeTrue(reserved() >= before + PAGES, "skipped: no memory for " + PAGES + " hugepages");
            try (SharedFramePool pool = SharedFramePool.open(PAGES * 1024 - 10, 2048, true)) {
                assertThat(pool.hasHugepages()).isTrue();
                assertThat(pool.baseAddress() % (2 << 20)).isZero();
                Native.MEMORY.set(Native.BYTE, pool.baseAddress() + pool.sizeBytes() - 1, (byte) 1);
            }
        } finally {
            Files.writeString(RESERVED, String.valueOf(reserved() - PAGES));
        }
    }
}
