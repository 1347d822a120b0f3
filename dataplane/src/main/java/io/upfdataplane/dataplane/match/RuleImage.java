package io.upfdataplane.dataplane.match;

import io.upfdataplane.dataplane.memory.Native;

/**
 * The compiled rules of a session: a header that only the control thread reads, then the entries for packets from
 * tunnels, then those for packets by UE address, each in order of precedence, then further SDF filters, then the table of
 * QERs that have a bucket. Control thread.
 *
 * <pre>
 *  0 SEID 8 | 8 size 4 | 12 tunnel entries 4 | 16 address entries 4 | 20 worker 4
 * 24 further buckets 8 | 32 QERs with a bucket 4 | 36 offset of their table 4
 * each QER: ID 8 | bucket number 4 | free 4
 * </pre>
 */
final class RuleImage {
    static final int HEADER = 64;
    static final int SIZE = 8;
    static final int TUNNEL_ENTRIES = 12;
    static final int ADDRESS_ENTRIES = 16;
    static final int WORKER = 20;
    static final int FURTHER_BUCKETS = 24;
    static final int METERED_QERS = 32;
    static final int METER_TABLE = 36;
    static final int METER_RECORD = 16;

    private RuleImage() {}

    static long seid(long image) {
        return longAt(image, 0);
    }

    static int size(long image) {
        return intAt(image, SIZE);
    }

    static int worker(long image) {
        return intAt(image, WORKER);
    }

    static long furtherBuckets(long image) {
        return longAt(image, FURTHER_BUCKETS);
    }

    static int tunnelEntries(long image) {
        return intAt(image, TUNNEL_ENTRIES);
    }

    static int addressEntries(long image) {
        return intAt(image, ADDRESS_ENTRIES);
    }

    static long tunnelEntry(long image, int i) {
        return image + HEADER + (long) i * RuleEntry.SIZE;
    }

    static long addressEntry(long image, int i) {
        return tunnelEntry(image, tunnelEntries(image) + i);
    }

    static long tunnelRules(long image) {
        return SessionSlot.rulesOf(tunnelEntry(image, 0), tunnelEntries(image));
    }

    static long addressRules(long image) {
        return SessionSlot.rulesOf(addressEntry(image, 0), addressEntries(image));
    }

    static int[] teids(long image) {
        int[] teids = new int[tunnelEntries(image)];
        for (int i = 0; i < teids.length; i++) {
            teids[i] = RuleEntry.teid(tunnelEntry(image, i));
        }
        return teids;
    }

    static int[] ueAddresses(long image) {
        int[] addresses = new int[addressEntries(image)];
        for (int i = 0; i < addresses.length; i++) {
            addresses[i] = RuleEntry.ueAddress(addressEntry(image, i));
        }
        return addresses;
    }

    /** Bucket number of a QER, or −1. */
    static int bucketOf(long image, long qerId) {
        long record = image + intAt(image, METER_TABLE);
        for (int left = intAt(image, METERED_QERS); left > 0; left--, record += METER_RECORD) {
            if (longAt(record, 0) == qerId) {
                return intAt(record, 8);
            }
        }
        return -1;
    }

    static void put(long image, int offset, int value) {
        Native.MEMORY.set(Native.INT, (image & Native.MASK) + offset, value);
    }

    static void put(long image, int offset, long value) {
        Native.MEMORY.set(Native.LONG, (image & Native.MASK) + offset, value);
    }

    private static int intAt(long image, int offset) {
        return Native.MEMORY.get(Native.INT, (image & Native.MASK) + offset);
    }

    private static long longAt(long image, int offset) {
        return Native.MEMORY.get(Native.LONG, (image & Native.MASK) + offset);
    }
}
