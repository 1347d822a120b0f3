package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.rule.SdfFilter;
import java.util.Locale;

/**
 * Flow description text → {@link SdfFilter}: the IPFilterRule of RFC 6733 as TS 29.212 §5.4.2 narrows it,
 * {@code permit out PROTOCOL from ADDRESS [PORTS] to ADDRESS [PORTS]}. Written for downlink: «from» is the data network.
 * {@code permit in} says the same with its ends exchanged. Stateless.
 */
final class FlowDescription {
    private static final int LONGEST = 512;
    private static final int HIGHEST_PORT = 0xffff;

    private FlowDescription() {}

    /** Why a description cannot be taken. */
    static final class Unreadable extends Exception {
        private static final long serialVersionUID = 1L;
        private final boolean notBuilt;

        Unreadable(String message, boolean notBuilt) {
            super(message, null, false, false);
            this.notBuilt = notBuilt;
        }

        /** It is right, and asks for what is not built. */
        boolean isNotBuilt() {
            return notBuilt;
        }
    }

    private record Side(int address, int mask, int portLow, int portHigh) {}

    /** An empty description matches all. */
    static SdfFilter parse(String text) throws Unreadable {
        if (text.isBlank()) {
            return SdfFilter.ANY;
        }
        if (text.length() > LONGEST) {
            throw wrong("flow description of " + text.length() + " characters, at most " + LONGEST + " taken");
        }
        Words words = new Words(text.trim().toLowerCase(Locale.ROOT).split("\\s+"));
        String action = words.take("an action");
        if (!action.equals("permit")) {
            throw wrong("flow description begins with '" + action + "', permit needed");
        }
        String direction = words.take("a direction");
        if (!direction.equals("out") && !direction.equals("in")) {
            throw wrong("flow direction '" + direction + "', out or in needed");
        }
        int protocol = protocol(words.take("a protocol"));
        words.skip("from");
        Side from = side(words);
        words.skip("to");
        Side to = side(words);
        if (words.hasMore()) {
            throw notBuilt("flow option '" + words.take("") + "'");
        }
        Side remote = direction.equals("out") ? from : to;
        Side ue = direction.equals("out") ? to : from;
        return new SdfFilter(
                protocol,
                remote.address,
                remote.mask,
                ue.address,
                ue.mask,
                remote.portLow,
                remote.portHigh,
                ue.portLow,
                ue.portHigh);
    }

    private static int protocol(String word) throws Unreadable {
        return switch (word) {
            case "ip" -> -1;
            case "icmp" -> 1;
            case "tcp" -> 6;
            case "udp" -> 17;
            case "sctp" -> 132;
            default -> number(word, 255, "protocol");
        };
    }

    private static Side side(Words words) throws Unreadable {
        String address = words.take("an address");
        int host = 0;
        int mask = 0;
        // «assigned» is the UE's own address, which the PDR has matched already.
        if (!address.equals("any") && !address.equals("assigned")) {
            if (address.startsWith("!")) {
                throw notBuilt("negated address " + address);
            }
            if (address.indexOf(':') >= 0) {
                throw notBuilt("IPv6 address " + address);
            }
            int slash = address.indexOf('/');
            int length = slash < 0 ? 32 : number(address.substring(slash + 1), 32, "prefix length");
            mask = length == 0 ? 0 : -1 << (32 - length);
            host = ipv4(slash < 0 ? address : address.substring(0, slash)) & mask;
        }
        if (!words.hasMore()
                || words.peek().equals("to")
                || !Character.isDigit(words.peek().charAt(0))) {
            return new Side(host, mask, 0, HIGHEST_PORT);
        }
        String ports = words.take("ports");
        if (ports.indexOf(',') >= 0) {
            throw notBuilt("list of ports " + ports);
        }
        int dash = ports.indexOf('-');
        int low = number(dash < 0 ? ports : ports.substring(0, dash), HIGHEST_PORT, "port");
        int high = dash < 0 ? low : number(ports.substring(dash + 1), HIGHEST_PORT, "port");
        if (high < low) {
            throw wrong("port range " + ports + " is empty");
        }
        return new Side(host, mask, low, high);
    }

    private static int ipv4(String text) throws Unreadable {
        String[] parts = text.split("\\.", -1);
        if (parts.length != 4) {
            throw wrong("'" + text + "' is not an IPv4 address");
        }
        int address = 0;
        for (String part : parts) {
            address = address << 8 | number(part, 255, "address part");
        }
        return address;
    }

    private static int number(String text, int highest, String what) throws Unreadable {
        int value = 0;
        for (int i = 0; i < text.length(); i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                throw wrong(what + " '" + text + "' is not a number");
            }
            value = value * 10 + digit;
            if (value > highest) {
                throw wrong(what + " " + text + " is above " + highest);
            }
        }
        if (text.isEmpty()) {
            throw wrong(what + " is missing");
        }
        return value;
    }

    private static Unreadable wrong(String message) {
        return new Unreadable(message, false);
    }

    private static Unreadable notBuilt(String what) {
        return new Unreadable(what + " is not built", true);
    }

    private static final class Words {
        private final String[] words;
        private int next;

        Words(String[] words) {
            this.words = words;
        }

        boolean hasMore() {
            return next < words.length;
        }

        String peek() {
            return words[next];
        }

        String take(String what) throws Unreadable {
            if (!hasMore()) {
                throw wrong("flow description ends where " + what + " is needed");
            }
            return words[next++];
        }

        void skip(String word) throws Unreadable {
            String found = take("'" + word + "'");
            if (!found.equals(word)) {
                throw wrong("flow description has '" + found + "' where '" + word + "' is needed");
            }
        }
    }
}
