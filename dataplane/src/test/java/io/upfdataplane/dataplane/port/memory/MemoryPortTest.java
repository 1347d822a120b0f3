package io.upfdataplane.dataplane.port.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.port.FrameBatch;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.SharedFramePool;
import org.junit.jupiter.api.Test;

class MemoryPortTest {
    @Test
    void whatIsInjectedOnOneLegComesOutOfTheOther() throws Exception {
        try (SharedFramePool pool = SharedFramePool.open(512, 2048, false)) {
            try (MemoryPortSet ports = new MemoryPortSet(pool, 1, 8)) {
                byte[] frame = {1, 2, 3, 4};
                assertThat(ports.port(Leg.N3, 0).inject(frame)).isTrue();
                FrameBatch batch = new FrameBatch(4);
                assertThat(ports.port(Leg.N3, 0).receive(batch)).isEqualTo(1);
                assertThat(ports.port(Leg.N6, 0).send(batch)).isZero();
                assertThat(batch.count).isZero();
                assertThat(ports.port(Leg.N6, 0).collect()).isEqualTo(frame);
                assertThat(ports.port(Leg.N6, 0).collect()).isEmpty();
            }
            assertThat(pool.free()).isEqualTo(512);
        }
    }

    @Test
    void refusesWhatFindsNoRoomAndGivesItBack() throws Exception {
        try (SharedFramePool pool = SharedFramePool.open(512, 2048, false)) {
            try (MemoryPortSet ports = new MemoryPortSet(pool, 1, 2)) {
                MemoryPort port = ports.port(Leg.N3, 0);
                FrameBatch batch = new FrameBatch(4);
                for (int round = 0; round < 2; round++) {
                    port.inject(new byte[60]);
                    port.inject(new byte[60]);
                    port.receive(batch);
                }
                assertThat(batch.count).isEqualTo(4);
                assertThat(port.send(batch)).isEqualTo(2);
                assertThat(port.statistics().sent()).isEqualTo(2);
            }
            assertThat(pool.free()).isEqualTo(512);
        }
    }
}
