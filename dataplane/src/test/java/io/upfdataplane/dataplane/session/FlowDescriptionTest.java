package io.upfdataplane.dataplane.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.upfdataplane.dataplane.rule.SdfFilter;
import io.upfdataplane.dataplane.session.FlowDescription.Unreadable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlowDescriptionTest {
    private static final int DN = 0x0a630002;
    private static final int UE = 0x0a3c0001;

    @Test
    void readsAddressesPortsAndProtocol() throws Unreadable {
        assertThat(FlowDescription.parse("permit out tcp from 10.99.0.2 20000 to assigned 21000"))
                .isEqualTo(new SdfFilter(6, DN, -1, 0, 0, 20000, 20000, 21000, 21000));
        assertThat(FlowDescription.parse("permit out 17 from 10.99.0.0/24 to 10.60.0.1 80-88"))
                .isEqualTo(new SdfFilter(17, 0x0a630000, 0xffffff00, UE, -1, 0, 0xffff, 80, 88));
        assertThat(FlowDescription.parse("PERMIT  OUT IP FROM any TO any")).isEqualTo(SdfFilter.ANY);
        assertThat(FlowDescription.parse("permit out ip from 0.0.0.0/0 to assigned"))
                .isEqualTo(SdfFilter.ANY);
    }

    @Test
    void masksHostBitsAway() throws Unreadable {
        assertThat(FlowDescription.parse("permit out ip from 10.99.0.77/24 to assigned")
                        .remoteAddress())
                .isEqualTo(0x0a630000);
    }

    @Test
    void exchangesTheEndsOfAnInwardFilter() throws Unreadable {
        assertThat(FlowDescription.parse("permit in udp from 10.60.0.1 5000 to 10.99.0.2 6000"))
                .isEqualTo(FlowDescription.parse("permit out udp from 10.99.0.2 6000 to 10.60.0.1 5000"));
    }

    @Test
    void takesNothingAsEverything() throws Unreadable {
        assertThat(FlowDescription.parse("")).isEqualTo(SdfFilter.ANY);
        assertThat(FlowDescription.parse(" ")).isEqualTo(SdfFilter.ANY);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "permit out 58 from ff02::2/128 to assigned",
                "permit out ip from !10.0.0.1 to assigned",
                "permit out tcp from any 80,443 to assigned",
                "permit out tcp from any to assigned established"
            })
    void saysWhatIsRightButNotBuilt(String text) {
        assertThatThrownBy(() -> FlowDescription.parse(text))
                .isInstanceOfSatisfying(
                        Unreadable.class, e -> assertThat(e.isNotBuilt()).isTrue());
    }
}
