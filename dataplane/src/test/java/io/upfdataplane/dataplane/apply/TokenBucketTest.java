package io.upfdataplane.dataplane.apply;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.memory.Block;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenBucketTest {
    private static final long SECOND = 1_000_000_000L;

    private final Block block = new Block(16, 8);
    private long nowNs = 12345;

    @AfterEach
    void close() {
        block.close();
    }

    private long passedBits(long rateKbps, long durationNs, long meanGapNs, int lengthBytes) {
        Random random = new Random(rateKbps);
        long end = nowNs + durationNs;
        long passed = 0;
        while (nowNs < end) {
            nowNs += random.nextLong(2 * meanGapNs) + 1;
            if (TokenBucket.earn(block.address(), rateKbps, nowNs)) {
                TokenBucket.spend(block.address(), lengthBytes);
                passed += lengthBytes * 8L;
            }
        }
        return passed;
    }

    /** Twice the rate is offered, in packets of 1400 bytes at irregular times. */
    @ParameterizedTest
    @ValueSource(longs = {500, 1_000, 100_000, 5_000_000})
    void isExactOverTenSeconds(long rateKbps) {
        long gapNs = 1400L * 8 * 1_000_000 / rateKbps / 2;
        double passed = passedBits(rateKbps, 10 * SECOND, gapNs, 1400);
        assertThat(passed / (rateKbps * 1000.0 * 10)).isBetween(0.97, 1.03);
    }

    @Test
    void letsAllThroughBelowItsRate() {
        long offered = 0;
        long passed = passedBits(10_000, 5 * SECOND, 2_000_000, 1000);
        offered = passed;
        nowNs += SECOND;
        assertThat(passedBits(10_000, SECOND, 4_000_000, 1000)).isPositive();
        // 1000 bytes every 2 ms are 4 Mbit/s.
        assertThat(offered / 5.0).isBetween(3.7e6, 4.3e6);
    }

    @Test
    void boundsTheBurstAfterSilence() {
        TokenBucket.earn(block.address(), 100_000, nowNs);
        nowNs += 3600 * SECOND;
        long burst = 0;
        while (TokenBucket.earn(block.address(), 100_000, nowNs)) {
            TokenBucket.spend(block.address(), 1000);
            burst += 8000;
        }
        // 50 ms of 100 Mbit/s, and the packet that overdraws.
        assertThat(burst).isBetween(5_000_000L, 5_008_000L);
    }

    /** Slow rates and large packets: the debt is paid back, however rarely anyone looks. */
    @Test
    void isExactForRarePackets() {
        double passed = passedBits(16, 1000 * SECOND, SECOND / 3, 1500);
        assertThat(passed / (16_000.0 * 1000)).isBetween(0.97, 1.03);
    }

    @Test
    void holdsNoTokensBackFromAClockThatStandsStill() {
        TokenBucket.earn(block.address(), 1, nowNs);
        assertThat(TokenBucket.earn(block.address(), 1, nowNs)).isTrue();
        TokenBucket.spend(block.address(), 3000);
        assertThat(TokenBucket.earn(block.address(), 1, nowNs)).isFalse();
        assertThat(TokenBucket.earn(block.address(), 1, nowNs - 5)).isFalse();
    }

    @Test
    void hasNoLimitBeyondAnyDevice() {
        for (int i = 0; i < 100; i++) {
            assertThat(TokenBucket.earn(block.address(), Long.MAX_VALUE, nowNs)).isTrue();
            TokenBucket.spend(block.address(), 9000);
        }
    }
}
