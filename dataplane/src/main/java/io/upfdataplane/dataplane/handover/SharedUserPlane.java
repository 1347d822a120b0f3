package io.upfdataplane.dataplane.handover;

import io.upfdataplane.dataplane.apply.NeighbourWanted;
import io.upfdataplane.dataplane.apply.NextHopTable;
import io.upfdataplane.dataplane.apply.Side;
import io.upfdataplane.dataplane.match.RuleFault;
import io.upfdataplane.dataplane.match.SessionSlot;
import io.upfdataplane.dataplane.match.SessionTable;
import io.upfdataplane.dataplane.memory.BlockSource;
import io.upfdataplane.dataplane.rule.Pdr;
import io.upfdataplane.dataplane.rule.SessionRules;
import io.upfdataplane.dataplane.wire.Steering;

/**
 * The user plane as the control thread and the workers share it: the session table that one writes and all read, rings
 * between every two workers, rings of events back, and a counter page of each worker. What {@link UserPlane} names, and
 * {@link #close}, belongs to the control thread; the rest says who may call it.
 */
public final class SharedUserPlane implements UserPlane, AutoCloseable {
    private static final int REHOME_RING = 1024;
    private static final int EVENT_RING = 256;

    private final int workers;
    private final SessionTable sessions;
    private final NextHopTable nextHops;
    private final NeighbourWanted neighbourWanted;
    private final Grace grace;
    private final CounterPage[] counters;
    private final LongRing[] rehomed;
    private final LongRing[] events;

    /**
     * @param neighbourWanted called from {@link #reclaim} for addresses that packets wait for
     */
    public SharedUserPlane(int workers, int maxSessions, NextHopTable nextHops, NeighbourWanted neighbourWanted) {
        this(workers, maxSessions, nextHops, neighbourWanted, BlockSource.HEAP);
    }

    /**
     * @param blocks where the session table takes its memory from
     */
    public SharedUserPlane(
            int workers, int maxSessions, NextHopTable nextHops, NeighbourWanted neighbourWanted, BlockSource blocks) {
        if (workers < 1 || workers > Steering.TEID_MASK + 1) {
            throw new IllegalArgumentException("workers " + workers + " is not within 1–" + (Steering.TEID_MASK + 1));
        }
        this.workers = workers;
        this.nextHops = nextHops;
        this.neighbourWanted = neighbourWanted;
        grace = new Grace(workers);
        sessions = new SessionTable(
                maxSessions,
                (access, peer) -> nextHops.entryFor(access ? Side.ACCESS : Side.CORE, peer),
                blocks,
                grace::retire);
        counters = new CounterPage[workers];
        events = new LongRing[workers];
        rehomed = new LongRing[workers * workers];
        for (int worker = 0; worker < workers; worker++) {
            counters[worker] = new CounterPage();
            events[worker] = new LongRing(EVENT_RING);
        }
        for (int i = 0; i < rehomed.length; i++) {
            rehomed[i] = new LongRing(REHOME_RING);
        }
    }

    @Override
    public int workers() {
        return workers;
    }

    @Override
    public int ownerOf(SessionRules rules) {
        int known = sessions.workerOf(rules.seid());
        if (known >= 0) {
            return known;
        }
        for (Pdr pdr : rules.pdrs()) {
            if (pdr.ueIpv4() != null) {
                return Steering.workerOfUe(pdr.ueIpv4(), workers);
            }
        }
        for (Pdr pdr : rules.pdrs()) {
            if (pdr.localFTeid() != null) {
                return Steering.workerOfTeid(pdr.localFTeid().teid(), workers);
            }
        }
        return 0;
    }

    @Override
    public boolean isTeidInUse(int teid) {
        return sessions.isTeidInUse(teid);
    }

    private record Ready(SessionTable.Compiled compiled) implements Prepared {
        @Override
        public SessionRules rules() {
            return compiled.rules();
        }
    }

    @Override
    public Prepared prepare(SessionRules rules) throws RulesRefused {
        try {
            return new Ready(sessions.compile(rules, ownerOf(rules)));
        } catch (RuleFault fault) {
            throw new RulesRefused(
                    Reason.valueOf(fault.kind().name()), fault.rule(), fault.ruleId(), fault.explanation());
        }
    }

    @Override
    public void commit(Prepared prepared) {
        sessions.commit(((Ready) prepared).compiled());
    }

    @Override
    public void discard(Prepared prepared) {
        sessions.discard(((Ready) prepared).compiled());
    }

    @Override
    public void remove(long seid) {
        sessions.remove(seid);
    }

    @Override
    public int sessions() {
        return sessions.size();
    }

    @Override
    public SessionCounters counters(long seid) {
        long slot = sessions.slotOf(seid);
        if (slot == 0) {
            return SessionCounters.NONE;
        }
        return new SessionCounters(
                SessionSlot.packets(slot, false),
                SessionSlot.bytes(slot, false),
                SessionSlot.packets(slot, true),
                SessionSlot.bytes(slot, true),
                SessionSlot.dropped(slot, false) + SessionSlot.dropped(slot, true));
    }

    @Override
    public void reclaim() {
        grace.reclaim();
        for (LongRing ring : events) {
            for (long event = ring.poll(); event != 0; event = ring.poll()) {
                neighbourWanted.wanted(Event.side(event), Event.ipv4(event));
            }
        }
    }

    /** Workers. */
    public SessionTable table() {
        return sessions;
    }

    /** Any thread. */
    public NextHopTable nextHops() {
        return nextHops;
    }

    /** Workers. */
    public Grace grace() {
        return grace;
    }

    /** The worker itself writes; any thread reads. */
    public CounterPage counterPage(int worker) {
        return counters[worker];
    }

    /** Worker {@code from} produces, worker {@code to} consumes: frames whose session lives at {@code to}. */
    public LongRing rehomed(int from, int to) {
        return rehomed[from * workers + to];
    }

    /** The worker produces {@link Event}s, the control thread consumes them in {@link #reclaim}. */
    public LongRing events(int worker) {
        return events[worker];
    }

    /** Bytes of compiled rules, also of those that wait for workers to let go of them. */
    public long ruleBytes() {
        return sessions.ruleBytes();
    }

    /** Once no worker runs. */
    @Override
    public void close() {
        sessions.close();
        for (CounterPage page : counters) {
            page.close();
        }
    }
}
