package io.upfdataplane.dataplane.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.upfdataplane.dataplane.pfcp.RawPfcp;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The socket and its loop, over loopback. */
@Timeout(60)
class N4SocketTest {

    @Test
    void servesASessionOverTheSocketAndSurvivesAFaultOfOurs() throws Exception {
        N4Socket socket = N4Socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        InMemoryUserPlane userPlane = new InMemoryUserPlane(2) {
            @Override
            public void remove(long seid) {
                super.remove(seid);
                throw new IllegalStateException("as if the user plane had a fault");
            }
        };
        N4Agent agent = new N4Agent(
                N4Bench.settings(N4Settings.Role.PASSIVE, List.of(), 10),
                userPlane,
                socket.transmitter(),
                N4Bench.STAMP,
                InstantSource.system(),
                System.nanoTime());
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread control = Thread.ofPlatform().start(() -> {
            try {
                socket.run(agent);
            } catch (IOException e) {
                end.set(e);
            }
        });
        try (DatagramSocket smf = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            smf.setSoTimeout(20_000);
            Sample sample = new Sample();
            assertThat(ask(smf, socket.address(), sample.association()).cause()).isEqualTo(1);
            long seid = Sample.seidOf(ask(smf, socket.address(), sample.establishment(1, Sample.UE, 256)));
            send(smf, socket.address(), sample.deletion(seid));
            assertThat(ask(smf, socket.address(), sample.heartbeat(1)).type()).isEqualTo(2);
            while (agent.snapshot().faults() == 0) {
                Thread.sleep(10);
            }
            assertThat(agent.snapshot().faults()).isEqualTo(1);
        } finally {
            socket.close();
            control.join();
        }
        assertThat(end.get()).isNull();
    }

    @Test
    void namesTheAddressItCannotBind() {
        assertThatThrownBy(() -> N4Socket.bind(new InetSocketAddress("203.0.113.1", 8805)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("203.0.113.1");
    }

    private static void send(DatagramSocket smf, InetSocketAddress upf, byte[] bytes) throws IOException {
        smf.send(new DatagramPacket(bytes, bytes.length, upf));
    }

    private static RawPfcp.Read ask(DatagramSocket smf, InetSocketAddress upf, byte[] bytes) throws IOException {
        send(smf, upf, bytes);
        DatagramPacket answer = new DatagramPacket(new byte[2000], 2000);
        smf.receive(answer);
        return RawPfcp.read(Arrays.copyOf(answer.getData(), answer.getLength()));
    }
}
