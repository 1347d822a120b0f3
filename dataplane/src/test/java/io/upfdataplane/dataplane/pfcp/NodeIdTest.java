package io.upfdataplane.dataplane.pfcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.pfcp.PfcpMessage.AssociationReleaseRequest;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeIdTest {
    @ParameterizedTest
    @ValueSource(
            strings = {"10.33.0.1", "0.0.0.0", "255.255.255.255", "fd00:60:0:2:0:0:0:2", "upf.example.org", "upf-1"})
    void readsWhatItWrites(String text) throws PfcpFault {
        byte[] bytes = PfcpEncoder.encode(new AssociationReleaseRequest(new NodeId(text)), 7, 0);
        PfcpHeader header = PfcpHeader.read(bytes, bytes.length).orElseThrow();
        assertThat(header.sequence()).isEqualTo(7);
        assertThat(PfcpDecoder.decode(header, bytes)).contains(new AssociationReleaseRequest(new NodeId(text)));
    }

    @Test
    void readsANameAsLabelsOrTextInAnyCase() {
        for (byte[] form : Arrays.asList(
                RawPfcp.text("Internet.MNC001"),
                RawPfcp.join(RawPfcp.u8(8), RawPfcp.text("INTERNET"), RawPfcp.u8(6), RawPfcp.text("mnc001")),
                RawPfcp.join(
                        RawPfcp.u8(8),
                        RawPfcp.text("internet"),
                        RawPfcp.u8(6),
                        RawPfcp.text("mnc001"),
                        RawPfcp.u8(0)))) {
            assertThat(DomainName.read(form)).isEqualTo("internet.mnc001");
        }
        // '5' is 53: text that could be the length of a label.
        assertThat(DomainName.read(RawPfcp.text("5g.slice"))).isEqualTo("5g.slice");
        assertThat(DomainName.read(new byte[] {3, 'a', 'b'})).isNull();
        assertThat(DomainName.read(new byte[] {3, 'a', 0, 'b'})).isNull();
        assertThat(DomainName.read(new byte[] {0})).isNull();
        assertThat(DomainName.read(new byte[] {'a', (byte) 0xe4})).isNull();
    }
}
