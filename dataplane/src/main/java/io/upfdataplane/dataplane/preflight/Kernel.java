package io.upfdataplane.dataplane.preflight;

import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.preflight.Finding.Result;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The kernel has what the mode needs. */
final class Kernel implements Check {
    @Override
    public boolean appliesTo(Plan plan) {
        return true;
    }

    private static final Pattern RELEASE = Pattern.compile("(\\d+)\\.(\\d+).*");

    @Override
    public Finding judge(Plan plan, Facts facts) {
        String release = facts.node().kernel().release();
        // 4.20: PACKET_IGNORE_OUTGOING. 5.10: one UMEM for two devices.
        int major = Check.isXdp(plan) ? 5 : 4;
        int minor = Check.isXdp(plan) ? 10 : 20;
        String required = "at least " + major + "." + minor
                + (Check.isXdp(plan) ? " (a UMEM shared by two devices)" : " (PACKET_IGNORE_OUTGOING)");
        Matcher m = RELEASE.matcher(release);
        if (!m.matches()) {
            return finding(Result.Unknown, release, required, "");
        }
        int foundMajor = Integer.parseInt(m.group(1));
        int foundMinor = Integer.parseInt(m.group(2));
        return foundMajor > major || (foundMajor == major && foundMinor >= minor)
                ? pass(release, required)
                : finding(Result.Fail, release, required, "use a node with a newer kernel, or another mode");
    }
}
