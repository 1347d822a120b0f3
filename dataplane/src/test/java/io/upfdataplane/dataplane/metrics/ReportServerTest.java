package io.upfdataplane.dataplane.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReportServerTest {
    private final AtomicBoolean ready = new AtomicBoolean();
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
    private ReportServer server;

    @BeforeEach
    void start() throws IOException {
        Exporter exporter = new Exporter(() -> new Reading()
                .put(Metric.RX_PACKETS, 3, "uplink")
                .put(Metric.MODE_INFO, 1, "AF_XDP", "false", "Native"));
        server = ReportServer.start(
                new InetSocketAddress("127.0.0.1", 0),
                exporter,
                () -> "{\"ready\":false}".getBytes(StandardCharsets.UTF_8),
                () -> true,
                ready::get);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void exposesOurMetricsAndTheVirtualMachines() throws Exception {
        HttpResponse<String> answer = get("/metrics");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type"))
                .hasValueSatisfying(t -> assertThat(t).startsWith("text/plain"));
        assertThat(answer.body())
                .contains("# TYPE upf_rx_packets_total counter")
                .contains("upf_rx_packets_total{direction=\"uplink\"} 3.0")
                .contains("upf_mode_info{mode=\"AF_XDP\",xdp_attach=\"Native\",zero_copy=\"false\"} 1.0")
                .contains("jvm_gc_");
    }

    @Test
    void answersStatusAndHealth() throws Exception {
        assertThat(get("/status").body()).isEqualTo("{\"ready\":false}");
        assertThat(get("/healthz/live").statusCode()).isEqualTo(200);
        assertThat(get("/healthz/ready").statusCode()).isEqualTo(503);
        ready.set(true);
        assertThat(get("/healthz/ready").statusCode()).isEqualTo(200);
    }

    @Test
    void isReadOnly() throws Exception {
        for (String method : List.of("POST", "PUT", "DELETE", "PATCH")) {
            HttpResponse<String> answer = client.send(
                    HttpRequest.newBuilder(uri("/status"))
                            .method(method, HttpRequest.BodyPublishers.ofString("x"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(method).isEqualTo(405);
        }
    }

    @Test
    void knowsNothingElse() throws Exception {
        for (String path : List.of("/", "/status/x", "/metrics2", "/healthz", "/../etc/passwd")) {
            assertThat(get(path).statusCode()).as(path).isEqualTo(404);
        }
    }

    @Test
    void aClientThatSaysNothingHoldsNobodyUp() throws Exception {
        List<Socket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                silent.add(new Socket("127.0.0.1", server.port()));
            }
            assertThat(get("/healthz/live").statusCode()).isEqualTo(200);
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    @Test
    void saysWhichAddressCannotBeBound() {
        assertThatThrownBy(() -> ReportServer.start(
                        new InetSocketAddress("127.0.0.1", server.port()),
                        new Exporter(Reading::new),
                        () -> new byte[0],
                        () -> true,
                        () -> true))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("127.0.0.1:" + server.port());
    }

    private HttpResponse<String> get(String path) throws Exception {
        return client.send(
                HttpRequest.newBuilder(uri(path))
                        .timeout(Duration.ofSeconds(20))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.port() + path);
    }
}
