package io.upfdataplane.dataplane.port.afxdp;

import io.upfdataplane.dataplane.ffi.Libc;
import io.upfdataplane.dataplane.port.FrameBatch;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PacketPort;
import io.upfdataplane.dataplane.port.PortSet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * One worker that is nothing but a wire: what N3 receives goes out of N6 and the other way round, untouched. It can hold
 * two port sets at a time, as in a mode change.
 */
final class Wire implements AutoCloseable {
    /** Sees each received frame before it is sent on. */
    interface Tap {
        void received(int worker, Leg leg, long address, int length);
    }

    private final int worker;
    private final Tap tap;
    private final Thread thread;
    private volatile List<PortSet> receiveFrom;
    private volatile PortSet sendThrough;
    private volatile boolean stop;
    private volatile long turns;
    private volatile long lastTurnWithFirst;
    private volatile long received;
    private volatile long refused;
    private volatile Throwable failure;

    Wire(PortSet set, int worker, Tap tap) {
        this.worker = worker;
        this.tap = tap;
        this.receiveFrom = List.of(set);
        this.sendThrough = set;
        this.thread = Thread.ofPlatform().name("wire-" + worker).start(this::run);
    }

    static List<Wire> start(PortSet set, int workers, Tap tap) {
        List<Wire> wires = new ArrayList<>();
        for (int worker = 0; worker < workers; worker++) {
            wires.add(new Wire(set, worker, tap));
        }
        return wires;
    }

    static void stop(List<Wire> wires) throws Exception {
        for (Wire wire : wires) {
            wire.close();
        }
    }

    private void run() {
        FrameBatch batch = new FrameBatch(64);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pollfds = arena.allocate(Libc.POLLFD_SIZE * 8L, 8);
            while (!stop) {
                PortSet out = sendThrough;
                List<PortSet> in = receiveFrom;
                int moved = 0;
                int waitOn = 0;
                for (int i = 0; i < in.size(); i++) {
                    int movedHere = move(in.get(i), Leg.N3, out, batch) + move(in.get(i), Leg.N6, out, batch);
                    if (i == 0 && movedHere > 0) {
                        lastTurnWithFirst = turns;
                    }
                    moved += movedHere;
                    waitOn = poll(pollfds, waitOn, in.get(i).port(Leg.N3, worker));
                    waitOn = poll(pollfds, waitOn, in.get(i).port(Leg.N6, worker));
                }
                for (int i = 0; i < in.size(); i++) {
                    in.get(i).port(Leg.N3, worker).flush();
                    in.get(i).port(Leg.N6, worker).flush();
                }
                turns++;
                if (moved == 0) {
                    Libc.poll(pollfds.address(), waitOn, 1);
                }
            }
        } catch (Throwable t) {
            failure = t;
        }
    }

    private int move(PortSet in, Leg leg, PortSet out, FrameBatch batch) {
        int n = in.port(leg, worker).receive(batch);
        if (n == 0) {
            return 0;
        }
        for (int i = 0; i < batch.count; i++) {
            tap.received(worker, leg, batch.address[i], batch.length[i]);
        }
        received += n;
        refused += out.port(leg == Leg.N3 ? Leg.N6 : Leg.N3, worker).send(batch);
        return n;
    }

    private static int poll(MemorySegment pollfds, int at, PacketPort port) {
        pollfds.set(ValueLayout.JAVA_INT, at * 8L, port.descriptor());
        pollfds.set(ValueLayout.JAVA_SHORT, at * 8L + 4, Libc.POLLIN);
        return at + 1;
    }

    /** From now on both sets are received from; sending stays where it is. */
    void receiveFrom(PortSet... sets) throws InterruptedException {
        receiveFrom = List.of(sets);
        awaitTurns();
    }

    /** Waits until the first set has given nothing for some turns. */
    void drainFirst() throws InterruptedException {
        long from = turns;
        while (turns < Math.max(from, lastTurnWithFirst) + 4 && failure == null) {
            Thread.sleep(1);
        }
    }

    void sendThrough(PortSet set) throws InterruptedException {
        sendThrough = set;
        awaitTurns();
    }

    /** Two whole turns later the worker has seen what was set. */
    private void awaitTurns() throws InterruptedException {
        long seen = turns;
        while (turns < seen + 2 && failure == null) {
            Thread.sleep(1);
        }
    }

    long received() {
        return received;
    }

    long refused() {
        return refused;
    }

    long threadId() {
        return thread.threadId();
    }

    @Override
    public void close() throws Exception {
        stop = true;
        thread.join(10_000);
        if (failure != null) {
            throw new IllegalStateException("worker " + worker + " died", failure);
        }
    }
}
