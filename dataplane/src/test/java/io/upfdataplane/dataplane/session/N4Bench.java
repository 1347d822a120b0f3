package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.pfcp.RawPfcp;
import io.upfdataplane.dataplane.session.N4Settings.ConfiguredPeer;
import io.upfdataplane.dataplane.session.N4Settings.Limits;
import io.upfdataplane.dataplane.session.N4Settings.Prefix;
import io.upfdataplane.dataplane.session.N4Settings.Retries;
import io.upfdataplane.dataplane.session.N4Settings.Role;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** An agent over an {@link InMemoryUserPlane}, with a clock that a test moves and a list for what it sends. */
final class N4Bench {
    static final int N3 = 0x0a210001;
    static final int STAMP = 0x7000_0000;
    static final InetSocketAddress SMF = new InetSocketAddress("10.33.0.2", 8805);
    static final InetSocketAddress OTHER = new InetSocketAddress("10.33.0.9", 8805);

    record Sent(InetSocketAddress to, byte[] bytes) {}

    final List<Sent> sent = new ArrayList<>();
    final InMemoryUserPlane userPlane = new InMemoryUserPlane(2);
    final N4Agent agent;
    long nowNs = 1_000_000_000L;

    N4Bench() {
        this(settings(Role.PASSIVE, List.of(), 1000));
    }

    N4Bench(N4Settings settings) {
        agent = new N4Agent(
                settings, userPlane, (to, bytes) -> sent.add(new Sent(to, bytes)), STAMP, () -> Instant.EPOCH, nowNs);
    }

    static N4Settings settings(Role role, List<ConfiguredPeer> peers, int maxSessions) {
        return new N4Settings(
                "10.33.0.1",
                N3,
                List.of(N3),
                role,
                peers,
                new Retries(Duration.ofSeconds(5), 3),
                Duration.ofSeconds(10),
                new Retries(Duration.ofSeconds(2), 5),
                maxSessions,
                List.of(new Prefix(0x0a3c0000, 16)),
                Limits.DEFAULT);
    }

    /** What the agent sends at once in answer to a datagram. */
    List<Sent> send(byte[] datagram, InetSocketAddress from) {
        int before = sent.size();
        agent.handle(datagram, datagram.length, from, nowNs);
        return List.copyOf(sent.subList(before, sent.size()));
    }

    /** The one answer to a datagram from the SMF. */
    RawPfcp.Read ask(byte[] datagram) {
        return ask(datagram, SMF);
    }

    RawPfcp.Read ask(byte[] datagram, InetSocketAddress from) {
        List<Sent> answers = send(datagram, from);
        if (answers.size() != 1) {
            throw new AssertionError(answers.size() + " answers");
        }
        if (!answers.getFirst().to().equals(from)) {
            throw new AssertionError("answered to " + answers.getFirst().to());
        }
        return RawPfcp.read(answers.getFirst().bytes());
    }

    /** Moves the clock in steps of 100 ms, ticking; returns what was sent meanwhile. */
    List<Sent> pass(Duration time) {
        int before = sent.size();
        long end = nowNs + time.toNanos();
        while (nowNs < end) {
            nowNs += 100_000_000L;
            agent.tick(nowNs);
        }
        return List.copyOf(sent.subList(before, sent.size()));
    }

    N4Snapshot snapshot() {
        nowNs += 1_000_000_000L;
        agent.tick(nowNs);
        return agent.snapshot();
    }
}
