package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.rule.Pdr;
import io.upfdataplane.dataplane.rule.SessionRules;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * All that is known of one PFCP session, as a value: a change makes a new one.
 *
 * @param peer index of the association that owns it
 * @param cpSeid the control plane's endpoint, for the header of answers
 * @param inertUrrs ids of URRs that no PDR names: they measure nothing, but can be updated and removed
 * @param inertBars ids of BARs; nothing is buffered here
 * @param chosen TEIDs that we chose and hold for it
 */
record SessionRecord(
        int peer,
        long cpSeid,
        SessionRules rules,
        List<Long> inertUrrs,
        List<Integer> inertBars,
        List<ChosenTeid> chosen) {

    SessionRecord {
        inertUrrs = List.copyOf(inertUrrs);
        inertBars = List.copyOf(inertBars);
        chosen = List.copyOf(chosen);
    }

    /**
     * @param chooseId the CHOOSE ID it was asked with, −1 for none
     * @param pdrId the PDR it was first chosen for
     */
    record ChosenTeid(int teid, int chooseId, int pdrId) {}

    long seid() {
        return rules.seid();
    }

    /** Every TEID that nobody else may have: those in PDRs, and those we hold though no PDR has them now. */
    Set<Integer> teids() {
        Set<Integer> teids = new LinkedHashSet<>();
        for (Pdr pdr : rules.pdrs()) {
            if (pdr.localFTeid() != null) {
                teids.add(pdr.localFTeid().teid());
            }
        }
        for (ChosenTeid choice : chosen) {
            teids.add(choice.teid());
        }
        return teids;
    }
}
