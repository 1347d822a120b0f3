package io.upfdataplane.dataplane.rule;

import java.util.List;

/**
 * All rules of one PFCP session, whole: a change of a session is a new value of this type.
 *
 * @param seid our own session endpoint identifier
 */
public record SessionRules(long seid, List<Pdr> pdrs, List<Far> fars, List<Qer> qers) {
    public SessionRules {
        pdrs = List.copyOf(pdrs);
        fars = List.copyOf(fars);
        qers = List.copyOf(qers);
    }
}
