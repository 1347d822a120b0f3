package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.handover.UserPlane;
import io.upfdataplane.dataplane.rule.Pdr;
import io.upfdataplane.dataplane.rule.SessionRules;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** A user plane that keeps rules and carries no packet. It holds its caller to the contract: each preparation ends once. */
public class InMemoryUserPlane implements UserPlane {
    private final int workers;
    private final Map<Long, SessionRules> sessions = new HashMap<>();
    private final Map<Integer, Long> teids = new HashMap<>();
    private final Map<Integer, Long> ueAddresses = new HashMap<>();
    private int open;
    private int commits;
    private RulesRefused nextRefusal;

    public InMemoryUserPlane(int workers) {
        this.workers = workers;
    }

    private static final class Reserved implements Prepared {
        final SessionRules rules;
        boolean isOver;

        Reserved(SessionRules rules) {
            this.rules = rules;
        }

        @Override
        public SessionRules rules() {
            return rules;
        }
    }

    public void refuseNext(RulesRefused refusal) {
        nextRefusal = refusal;
    }

    public Map<Long, SessionRules> all() {
        return Map.copyOf(sessions);
    }

    public SessionRules rules(long seid) {
        return sessions.get(seid);
    }

    public int openPreparations() {
        return open;
    }

    public int commits() {
        return commits;
    }

    @Override
    public int workers() {
        return workers;
    }

    @Override
    public int ownerOf(SessionRules rules) {
        for (Pdr pdr : rules.pdrs()) {
            if (pdr.ueIpv4() != null) {
                return (int) Integer.toUnsignedLong((pdr.ueIpv4() * 0x9E3779B1) >>> 16) % workers;
            }
        }
        for (Pdr pdr : rules.pdrs()) {
            if (pdr.localFTeid() != null) {
                return (pdr.localFTeid().teid() & 63) % workers;
            }
        }
        return 0;
    }

    @Override
    public boolean isTeidInUse(int teid) {
        return teids.containsKey(teid);
    }

    @Override
    public Prepared prepare(SessionRules rules) throws RulesRefused {
        if (nextRefusal != null) {
            RulesRefused refusal = nextRefusal;
            nextRefusal = null;
            throw refusal;
        }
        for (Pdr pdr : rules.pdrs()) {
            if (pdr.localFTeid() != null && isOthers(teids.get(pdr.localFTeid().teid()), rules.seid())) {
                throw new RulesRefused(Reason.TEID_IN_USE, "PDR", pdr.id(), "TEID in use");
            }
            if (pdr.ueIpv4() != null && isOthers(ueAddresses.get(pdr.ueIpv4()), rules.seid())) {
                throw new RulesRefused(Reason.UE_ADDRESS_IN_USE, "PDR", pdr.id(), "UE address in use");
            }
        }
        open++;
        return new Reserved(rules);
    }

    private static boolean isOthers(Long holder, long seid) {
        return holder != null && holder != seid;
    }

    @Override
    public void commit(Prepared prepared) {
        end(prepared);
        commits++;
        SessionRules rules = prepared.rules();
        forget(rules.seid());
        sessions.put(rules.seid(), rules);
        for (Pdr pdr : rules.pdrs()) {
            if (pdr.localFTeid() != null) {
                teids.put(pdr.localFTeid().teid(), rules.seid());
            }
            if (pdr.ueIpv4() != null) {
                ueAddresses.put(pdr.ueIpv4(), rules.seid());
            }
        }
    }

    @Override
    public void discard(Prepared prepared) {
        end(prepared);
    }

    private void end(Prepared prepared) {
        Reserved reserved = (Reserved) prepared;
        if (reserved.isOver) {
            throw new AssertionError("a preparation ended twice");
        }
        reserved.isOver = true;
        open--;
    }

    @Override
    public void remove(long seid) {
        if (!sessions.containsKey(seid)) {
            throw new AssertionError("remove of an unknown session");
        }
        forget(seid);
    }

    private void forget(long seid) {
        SessionRules rules = sessions.remove(seid);
        if (rules != null) {
            for (Pdr pdr : rules.pdrs()) {
                if (pdr.localFTeid() != null) {
                    teids.remove(pdr.localFTeid().teid());
                }
                if (pdr.ueIpv4() != null) {
                    ueAddresses.remove(pdr.ueIpv4());
                }
            }
        }
    }

    @Override
    public int sessions() {
        return sessions.size();
    }

    @Override
    public SessionCounters counters(long seid) {
        return Objects.requireNonNull(SessionCounters.NONE);
    }

    @Override
    public void reclaim() {}
}
