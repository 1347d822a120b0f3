package io.upfdataplane.dataplane.handover;

import io.upfdataplane.dataplane.rule.SessionRules;

/**
 * What the control thread may ask of the packet path. Control thread only; never waits for a worker. A change is made in
 * two steps, so that a message is applied whole or not at all: {@link #prepare} does all that can fail and changes
 * nothing a packet can see; {@link #commit} cannot fail.
 */
public interface UserPlane {
    int workers();

    /** The worker that owns, or would own, a session with these rules: by the UE address, else by its TEID. */
    int ownerOf(SessionRules rules);

    /** True when packets for this TEID already have a session. */
    boolean isTeidInUse(int teid);

    /**
     * Compiles the rules and reserves what they need, for a new session or as the replacement of a known one.
     *
     * @throws RulesRefused naming the rule, when it cannot be carried out; nothing is kept
     */
    Prepared prepare(SessionRules rules) throws RulesRefused;

    /** Makes prepared rules the session's rules. Packets see the old or the new ones, never a mixture. */
    void commit(Prepared prepared);

    /** Gives back what {@link #prepare} reserved. */
    void discard(Prepared prepared);

    /** Ends a session: its packets become unknown. */
    void remove(long seid);

    int sessions();

    /** Packets and bytes of a session so far, or zeros when it is unknown. */
    SessionCounters counters(long seid);

    /** Takes back memory that workers have let go. Called regularly by the control thread. */
    void reclaim();

    /** Rules that are ready to be committed. */
    interface Prepared {
        SessionRules rules();
    }

    record SessionCounters(
            long uplinkPackets, long uplinkBytes, long downlinkPackets, long downlinkBytes, long dropped) {
        public static final SessionCounters NONE = new SessionCounters(0, 0, 0, 0, 0);
    }

    /** A rule that cannot be carried out. */
    final class RulesRefused extends Exception {
        private static final long serialVersionUID = 1L;
        private final Reason reason;
        private final String rule;
        private final long ruleId;

        /**
         * @param rule PDR, FAR or QER
         */
        public RulesRefused(Reason reason, String rule, long ruleId, String message) {
            super(message);
            this.reason = reason;
            this.rule = rule;
            this.ruleId = ruleId;
        }

        public Reason reason() {
            return reason;
        }

        public String rule() {
            return rule;
        }

        public long ruleId() {
            return ruleId;
        }
    }

    enum Reason {
        NO_RESOURCES,
        TEID_IN_USE,
        UE_ADDRESS_IN_USE,
        MISSING_RULE,
        /** The rule asks for something this packet path does not do. */
        UNSUPPORTED
    }
}
