package io.upfdataplane.dataplane.match;

import io.upfdataplane.dataplane.match.RuleFault.Kind;
import io.upfdataplane.dataplane.memory.Block;
import io.upfdataplane.dataplane.memory.BlockSource;
import io.upfdataplane.dataplane.rule.SessionRules;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * All sessions: their slots, their compiled rules and the two directories that lead packets to them. The control thread
 * writes; workers read the directories, slots and entries. What workers may still hold is freed by {@code
 * afterGrace}, which runs a task once every worker has let go of what it saw before.
 */
public final class SessionTable implements AutoCloseable {
    private static final int IMAGE_BYTES_PER_SESSION = 2048;

    /** So that a new session need not wait until every worker has let go of one that was just deleted. */
    private static final int SPARE_SLOTS = 1024;

    /** What one call of {@link #countForwarding} looks at: less than a millisecond. */
    private static final int PLACES_A_CALL = 4096;

    private final int maxSessions;
    private final PeerIndex peers;
    private final Consumer<Runnable> afterGrace;
    private final Directory teids;
    private final Directory ueAddresses;
    private final Block slots;
    private final long[] images;
    private final int[] freeSlots;
    private int freeSlotCount;
    private final ImageMemory memory;
    private final SeidIndex seids = new SeidIndex();
    private final Set<Integer> reservedTeids = new HashSet<>();
    private final Set<Integer> reservedUeAddresses = new HashSet<>();
    private final Set<Long> reservedSeids = new HashSet<>();
    private int nextPlace;
    private int forwardingSoFar;
    private int forwarding;

    public SessionTable(int maxSessions, PeerIndex peers, BlockSource blocks, Consumer<Runnable> afterGrace) {
        this.maxSessions = maxSessions;
        this.peers = peers;
        this.afterGrace = afterGrace;
        teids = new Directory(maxSessions, blocks, this::retire);
        ueAddresses = new Directory(maxSessions, blocks, this::retire);
        int slotCount = maxSessions + SPARE_SLOTS;
        slots = blocks.take((long) slotCount * SessionSlot.SIZE);
        images = new long[slotCount];
        freeSlots = new int[slotCount];
        for (int i = 0; i < slotCount; i++) {
            freeSlots[i] = slotCount - 1 - i;
        }
        freeSlotCount = slotCount;
        memory = new ImageMemory((long) maxSessions * IMAGE_BYTES_PER_SESSION + (1 << 20), blocks);
    }

    private void retire(Block block) {
        afterGrace.accept(block::close);
    }

    /** Rules compiled into memory that no packet sees yet. Control thread. */
    public final class Compiled {
        private final SessionRules rules;
        private final long slot;
        private final long image;
        private final boolean isNew;
        private final long ownFurtherBuckets;
        private final int[] newTeids;
        private final int[] newUeAddresses;
        private boolean open = true;

        private Compiled(
                SessionRules rules,
                long slot,
                long image,
                boolean isNew,
                long ownFurtherBuckets,
                int[] newTeids,
                int[] newUeAddresses) {
            this.rules = rules;
            this.slot = slot;
            this.image = image;
            this.isNew = isNew;
            this.ownFurtherBuckets = ownFurtherBuckets;
            this.newTeids = newTeids;
            this.newUeAddresses = newUeAddresses;
        }

        public SessionRules rules() {
            return rules;
        }

        private void end() {
            if (!open) {
                throw new IllegalStateException("rules of session " + rules.seid() + " were already settled");
            }
            open = false;
            for (int teid : newTeids) {
                reservedTeids.remove(teid);
            }
            for (int ue : newUeAddresses) {
                reservedUeAddresses.remove(ue);
            }
            if (isNew) {
                reservedSeids.remove(rules.seid());
            }
        }
    }

    /** Workers. */
    public Directory teids() {
        return teids;
    }

    /** Workers. */
    public Directory ueAddresses() {
        return ueAddresses;
    }

    public int size() {
        return seids.size();
    }

    /**
     * Looks at some sessions, so that in a few calls all have been looked at; bounded, whatever the number of sessions.
     * Control thread.
     */
    public void countForwarding() {
        int places = seids.places();
        int end = Math.min(places, nextPlace + PLACES_A_CALL);
        for (; nextPlace < end; nextPlace++) {
            long slot = seids.slotAt(nextPlace);
            if (slot != 0 && SessionSlot.packets(slot, false) + SessionSlot.packets(slot, true) > 0) {
                forwardingSoFar++;
            }
        }
        if (nextPlace >= places) {
            forwarding = forwardingSoFar;
            forwardingSoFar = 0;
            nextPlace = 0;
        }
    }

    /** Sessions that had passed a packet when they were last looked at. Control thread. */
    public int forwarding() {
        return Math.min(forwarding, size());
    }

    public boolean isTeidInUse(int teid) {
        return teids.find(teid) != Directory.NONE || reservedTeids.contains(teid);
    }

    /** Slot of a session, or 0. */
    public long slotOf(long seid) {
        return seids.get(seid);
    }

    /** Worker of a known session, or −1. */
    public int workerOf(long seid) {
        long slot = seids.get(seid);
        return slot == 0 ? -1 : RuleImage.worker(images[number(slot)]);
    }

    /**
     * Compiles rules for a new session of {@code worker}, or for a known one, which keeps its worker.
     *
     * @throws RuleFault when that cannot be; nothing is kept
     */
    public Compiled compile(SessionRules rules, int worker) throws RuleFault {
        long known = seids.get(rules.seid());
        long oldImage = known == 0 ? 0 : images[number(known)];
        RuleCompiler compiler = new RuleCompiler(rules, peers, oldImage);
        int[] newTeids = checkedTeids(compiler.teids(), known);
        int[] newUeAddresses = checkedUeAddresses(compiler.ueAddresses(), known);
        if (known == 0) {
            reserveSeid(rules);
        }
        long slot = known != 0 ? known : slots.address() + (long) freeSlots[--freeSlotCount] * SessionSlot.SIZE;
        boolean kept = false;
        long image = 0;
        long further = 0;
        try {
            long oldFurther = oldImage == 0 ? 0 : RuleImage.furtherBuckets(oldImage);
            if (oldFurther == 0 && compiler.needsFurtherBuckets()) {
                further = taken(RuleCompiler.FURTHER_BUCKETS_SIZE);
            }
            image = taken(compiler.sizeBytes());
            compiler.write(
                    image,
                    slot,
                    oldImage == 0 ? worker : RuleImage.worker(oldImage),
                    further == 0 ? oldFurther : further);
            kept = true;
        } finally {
            if (!kept) {
                giveBack(known == 0 ? slot : 0, image, compiler.sizeBytes(), further);
                if (known == 0) {
                    reservedSeids.remove(rules.seid());
                }
            }
        }
        teids.reserve(compiler.teids().length);
        ueAddresses.reserve(compiler.ueAddresses().length);
        for (int teid : newTeids) {
            reservedTeids.add(teid);
        }
        for (int ue : newUeAddresses) {
            reservedUeAddresses.add(ue);
        }
        return new Compiled(rules, slot, image, known == 0, further, newTeids, newUeAddresses);
    }

    private void reserveSeid(SessionRules rules) throws RuleFault {
        String why = null;
        if (seids.size() + reservedSeids.size() >= maxSessions) {
            why = maxSessions + " sessions are held, which is the limit";
        } else if (freeSlotCount == 0) {
            why = "workers still hold " + SPARE_SLOTS + " deleted sessions";
        } else if (!reservedSeids.add(rules.seid())) {
            why = "session " + rules.seid() + " is being established already";
        }
        if (why != null) {
            int pdr = rules.pdrs().isEmpty() ? 0 : rules.pdrs().get(0).id();
            throw new RuleFault(Kind.NO_RESOURCES, "PDR", pdr, why);
        }
    }

    private long taken(int sizeBytes) throws RuleFault {
        long piece = memory.take(sizeBytes);
        if (piece == 0) {
            throw new RuleFault(Kind.NO_RESOURCES, "PDR", 0, "the memory for rules is used up");
        }
        return piece;
    }

    private int[] checkedTeids(int[] all, long known) throws RuleFault {
        int count = 0;
        for (int teid : all) {
            long found = teids.find(teid);
            if (found != Directory.NONE && Directory.slotOf(found) == known) {
                continue;
            }
            if (found != Directory.NONE || reservedTeids.contains(teid)) {
                throw new RuleFault(
                        Kind.TEID_IN_USE,
                        "PDR",
                        0,
                        "TEID " + Integer.toUnsignedString(teid) + " belongs to another session");
            }
            all[count++] = teid;
        }
        return Arrays.copyOf(all, count);
    }

    private int[] checkedUeAddresses(int[] all, long known) throws RuleFault {
        int count = 0;
        for (int ue : all) {
            long found = ueAddresses.find(ue);
            if (found != Directory.NONE && Directory.slotOf(found) == known) {
                continue;
            }
            if (found != Directory.NONE || reservedUeAddresses.contains(ue)) {
                throw new RuleFault(Kind.UE_ADDRESS_IN_USE, "PDR", 0, "the UE address belongs to another session");
            }
            all[count++] = ue;
        }
        return Arrays.copyOf(all, count);
    }

    /** Makes compiled rules the session's rules. */
    public void commit(Compiled compiled) {
        compiled.end();
        long slot = compiled.slot;
        long image = compiled.image;
        int number = number(slot);
        long old = images[number];
        if (compiled.isNew) {
            SessionSlot.clear(slot);
            seids.put(compiled.rules.seid(), slot);
        }
        images[number] = image;
        SessionSlot.publish(slot, RuleImage.tunnelRules(image), RuleImage.addressRules(image));
        long value = Directory.valueOf(slot, RuleImage.worker(image));
        int[] newTeids = distinct(RuleImage.teids(image));
        int[] newUeAddresses = distinct(RuleImage.ueAddresses(image));
        for (int teid : newTeids) {
            teids.put(teid, value);
        }
        for (int ue : newUeAddresses) {
            ueAddresses.put(ue, value);
        }
        if (old != 0) {
            for (int teid : RuleImage.teids(old)) {
                if (!contains(newTeids, teid)) {
                    teids.remove(teid);
                }
            }
            for (int ue : RuleImage.ueAddresses(old)) {
                if (!contains(newUeAddresses, ue)) {
                    ueAddresses.remove(ue);
                }
            }
            int size = RuleImage.size(old);
            afterGrace.accept(() -> memory.give(old, size));
        }
    }

    /** Gives back what {@link #compile} took. */
    public void discard(Compiled compiled) {
        compiled.end();
        teids.unreserve(distinct(RuleImage.teids(compiled.image)).length);
        ueAddresses.unreserve(distinct(RuleImage.ueAddresses(compiled.image)).length);
        giveBack(
                compiled.isNew ? compiled.slot : 0,
                compiled.image,
                RuleImage.size(compiled.image),
                compiled.ownFurtherBuckets);
    }

    /** Ends a session; unknown ones are ignored. */
    public void remove(long seid) {
        long slot = seids.get(seid);
        if (slot == 0) {
            return;
        }
        int number = number(slot);
        long image = images[number];
        for (int teid : RuleImage.teids(image)) {
            teids.remove(teid);
        }
        for (int ue : RuleImage.ueAddresses(image)) {
            ueAddresses.remove(ue);
        }
        seids.remove(seid);
        images[number] = 0;
        int size = RuleImage.size(image);
        long further = RuleImage.furtherBuckets(image);
        afterGrace.accept(() -> giveBack(slot, image, size, further));
    }

    private void giveBack(long slot, long image, int imageBytes, long further) {
        if (slot != 0) {
            freeSlots[freeSlotCount++] = number(slot);
        }
        if (image != 0) {
            memory.give(image, imageBytes);
        }
        if (further != 0) {
            memory.give(further, RuleCompiler.FURTHER_BUCKETS_SIZE);
        }
    }

    /** Bytes of compiled rules, also of those that wait to be freed. */
    public long ruleBytes() {
        return memory.usedBytes();
    }

    private int number(long slot) {
        return (int) ((slot - slots.address()) / SessionSlot.SIZE);
    }

    private static int[] distinct(int[] values) {
        return Arrays.stream(values).distinct().toArray();
    }

    private static boolean contains(int[] values, int wanted) {
        for (int value : values) {
            if (value == wanted) {
                return true;
            }
        }
        return false;
    }

    /** Control thread, once no worker runs. */
    @Override
    public void close() {
        teids.close();
        ueAddresses.close();
        slots.close();
        memory.close();
    }
}
