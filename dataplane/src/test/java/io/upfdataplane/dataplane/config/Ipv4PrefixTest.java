package io.upfdataplane.dataplane.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class Ipv4PrefixTest {
    @Test
    void readsAndWritesTheSameText() {
        for (String text : new String[] {"0.0.0.0/0", "10.60.0.0/16", "255.255.255.255/32", "192.0.2.1/31"}) {
            assertThat(Ipv4Prefix.parse(text)).hasToString(text);
        }
    }

    @Test
    void refusesWhatIsNotDottedDecimal() {
        for (String text : new String[] {
            "",
            "/",
            "10.0.0.0",
            "10.0.0/8",
            "10.0.0.0.0/8",
            "10.0.0.0/",
            "10.0.0.0/033",
            "10.0.0.0/33",
            "10.0.0.0/-1",
            "256.0.0.0/8",
            "1.2.3.04/8",
            "1.2.3.4 /8",
            "a.b.c.d/8",
            "::/0",
            "1..2.3/8",
            "٣.2.3.4/8"
        }) {
            assertThat(Ipv4Prefix.parse(text)).as(text).isNull();
        }
    }

    @Test
    void overlapsInBothDirections() {
        Ipv4Prefix wide = Ipv4Prefix.parse("10.0.0.0/8");
        Ipv4Prefix narrow = Ipv4Prefix.parse("10.60.1.0/24");
        Ipv4Prefix other = Ipv4Prefix.parse("11.0.0.0/8");
        assertThat(wide.overlaps(narrow)).isTrue();
        assertThat(narrow.overlaps(wide)).isTrue();
        assertThat(wide.overlaps(other)).isFalse();
        assertThat(Ipv4Prefix.parse("0.0.0.0/0").overlaps(other)).isTrue();
    }
}
