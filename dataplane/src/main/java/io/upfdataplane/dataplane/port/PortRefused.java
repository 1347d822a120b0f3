package io.upfdataplane.dataplane.port;

/**
 * A mode cannot start here. Nothing of it is left open.
 */
public final class PortRefused extends Exception {
    private static final long serialVersionUID = 1L;
    private final String check;
    private final String found;
    private final String needed;
    private final String hint;

    /**
     * @param check the preflight check this belongs to, e.g. {@code XdpDriver}
     * @param found what was seen, with the call and errno
     * @param needed what the mode needs
     * @param hint what to do
     */
    public PortRefused(String check, String found, String needed, String hint) {
        super(check + ": " + found + "; " + needed + "; " + hint);
        this.check = check;
        this.found = found;
        this.needed = needed;
        this.hint = hint;
    }

    public String check() {
        return check;
    }

    public String found() {
        return found;
    }

    public String needed() {
        return needed;
    }

    public String hint() {
        return hint;
    }
}
