package io.upfdataplane.dataplane.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process's only port beside N4: {@code /metrics}, {@code /status}, {@code /healthz/live} and {@code
 * /healthz/ready}. It answers GET and HEAD, changes nothing, holds a bounded number of connections for a bounded time,
 * and its threads are not the workers'.
 */
public final class ReportServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReportServer.class);

    static {
        // Read once by the JDK's server when its classes load: a slow or silent client cannot hold a connection for
        // ever.
        System.setProperty("jdk.httpserver.maxConnections", "64");
        System.setProperty("sun.net.httpserver.maxReqTime", "5");
        System.setProperty("sun.net.httpserver.maxRspTime", "10");
        System.setProperty("sun.net.httpserver.idleInterval", "10");
        System.setProperty("sun.net.httpserver.maxReqHeaders", "64");
    }

    private final HttpServer server;
    private final ExecutorService threads;

    private ReportServer(HttpServer server, ExecutorService threads) {
        this.server = server;
        this.threads = threads;
    }

    /**
     * @throws IOException naming the address, when it cannot be bound
     */
    public static ReportServer start(
            InetSocketAddress address,
            Exporter exporter,
            Supplier<byte[]> status,
            BooleanSupplier live,
            BooleanSupplier ready)
            throws IOException {
        HttpServer server;
        try {
            server = HttpServer.create(address, 16);
        } catch (IOException e) {
            throw new IOException("bind(" + address + "): " + e.getMessage(), e);
        }
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        server.setExecutor(threads);
        server.createContext("/", exchange -> answer(exchange, 404, TEXT, bytes("not found\n")));
        route(server, "/metrics", exchange -> {
            ByteArrayOutputStream out = new ByteArrayOutputStream(1 << 15);
            exporter.write(out);
            answer(exchange, 200, exporter.contentType(), out.toByteArray());
        });
        route(server, "/status", exchange -> answer(exchange, 200, "application/json", status.get()));
        route(server, "/healthz/live", exchange -> health(exchange, live.getAsBoolean()));
        route(server, "/healthz/ready", exchange -> health(exchange, ready.getAsBoolean()));
        server.start();
        return new ReportServer(server, threads);
    }

    private static final String TEXT = "text/plain; charset=utf-8";

    private static void route(HttpServer server, String path, HttpHandler handler) {
        server.createContext(path, exchange -> {
            try (exchange) {
                if (!exchange.getRequestURI().getPath().equals(path)) {
                    answer(exchange, 404, TEXT, bytes("not found\n"));
                } else if (!List.of("GET", "HEAD").contains(exchange.getRequestMethod())) {
                    exchange.getResponseHeaders().put("Allow", List.of("GET, HEAD"));
                    answer(exchange, 405, TEXT, bytes("read only\n"));
                } else {
                    handler.handle(exchange);
                }
            } catch (RuntimeException e) {
                LOG.error("{} could not be answered", path, e);
                answer(exchange, 500, TEXT, bytes("failed\n"));
            }
        });
    }

    private static void health(HttpExchange exchange, boolean ok) throws IOException {
        answer(exchange, ok ? 200 : 503, TEXT, bytes(ok ? "ok\n" : "no\n"));
    }

    private static void answer(HttpExchange exchange, int code, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().putAll(Map.of("Content-Type", List.of(type)));
        boolean head = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(code, head ? -1 : body.length);
        if (!head) {
            exchange.getResponseBody().write(body);
        }
        exchange.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
