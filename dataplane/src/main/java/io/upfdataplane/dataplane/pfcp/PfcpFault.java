package io.upfdataplane.dataplane.pfcp;

/** A message that cannot be taken as it stands: the only exception that leaves the codec. */
public final class PfcpFault extends Exception {
    private static final long serialVersionUID = 1L;
    private final Cause cause;
    private final int offendingIe;

    /**
     * @param offendingIe the type of the IE at fault, 0 when there is none to name
     */
    public PfcpFault(Cause cause, int offendingIe, String message) {
        // A flood of malformed messages must not cost a stack walk each.
        super(message, null, false, false);
        this.cause = cause;
        this.offendingIe = offendingIe;
    }

    public Cause reason() {
        return cause;
    }

    public int offendingIe() {
        return offendingIe;
    }

    static PfcpFault missing(int ie, String where) {
        return new PfcpFault(Cause.MANDATORY_IE_MISSING, ie, where + " has no IE " + ie);
    }

    static PfcpFault incorrect(int ie, String what) {
        return new PfcpFault(Cause.MANDATORY_IE_INCORRECT, ie, what);
    }
}
