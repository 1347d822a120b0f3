package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.rule.DestinationInterface;
import io.upfdataplane.dataplane.rule.FTeid;
import io.upfdataplane.dataplane.rule.Far;
import io.upfdataplane.dataplane.rule.OuterHeaderCreation;
import io.upfdataplane.dataplane.rule.Pdr;
import io.upfdataplane.dataplane.rule.Qer;
import io.upfdataplane.dataplane.rule.SdfFilter;
import io.upfdataplane.dataplane.rule.SessionRules;
import io.upfdataplane.dataplane.rule.SourceInterface;
import io.upfdataplane.dataplane.session.SessionRecord.ChosenTeid;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * {@link SessionRecord} ↔ bytes, so that a million sessions are memory and not objects for the collector. The agent's
 * limits keep an image below {@link #LARGEST}. Control thread; an instance reuses its buffer.
 */
final class SessionImage {
    static final int LARGEST = 128 * 1024;
    private static final SourceInterface[] SOURCES = SourceInterface.values();
    private static final DestinationInterface[] DESTINATIONS = DestinationInterface.values();
    private static final Far.Action[] ACTIONS = Far.Action.values();
    private final ByteBuffer scratch = ByteBuffer.allocate(LARGEST);

    /** The image, valid until the next call. */
    ByteBuffer write(SessionRecord record) {
        ByteBuffer out = scratch.clear();
        SessionRules rules = record.rules();
        out.putInt(record.peer()).putLong(record.cpSeid()).putLong(rules.seid());
        out.putShort((short) rules.pdrs().size());
        for (Pdr pdr : rules.pdrs()) {
            pdr(out, pdr);
        }
        out.putShort((short) rules.fars().size());
        for (Far far : rules.fars()) {
            far(out, far);
        }
        out.putShort((short) rules.qers().size());
        for (Qer qer : rules.qers()) {
            out.putLong(qer.id()).put((byte) ((qer.uplinkGateOpen() ? 1 : 0) | (qer.downlinkGateOpen() ? 2 : 0)));
            out.putLong(qer.mbrUplinkKbps()).putLong(qer.mbrDownlinkKbps()).putInt(qer.qfi());
        }
        out.putShort((short) record.inertUrrs().size());
        record.inertUrrs().forEach(out::putLong);
        out.putShort((short) record.inertBars().size());
        record.inertBars().forEach(out::putInt);
        out.putShort((short) record.chosen().size());
        for (ChosenTeid choice : record.chosen()) {
            out.putInt(choice.teid()).putInt(choice.chooseId()).putInt(choice.pdrId());
        }
        return out.flip();
    }

    private static void pdr(ByteBuffer out, Pdr pdr) {
        FTeid fTeid = pdr.localFTeid();
        Integer ue = pdr.ueIpv4();
        int flags = (fTeid != null ? 1 : 0) | (ue != null ? 2 : 0) | (pdr.removeOuterHeader() ? 4 : 0);
        out.putInt(pdr.id()).putLong(pdr.precedence());
        out.put((byte) pdr.sourceInterface().ordinal()).put((byte) flags);
        out.putInt(fTeid == null ? 0 : fTeid.teid()).putInt(fTeid == null ? 0 : fTeid.ipv4());
        out.putInt(ue == null ? 0 : ue);
        text(out, pdr.networkInstance());
        out.put((byte) pdr.sdfFilters().size());
        for (SdfFilter filter : pdr.sdfFilters()) {
            out.putInt(filter.protocol()).putInt(filter.remoteAddress()).putInt(filter.remoteMask());
            out.putInt(filter.ueAddress()).putInt(filter.ueMask());
            out.putInt(filter.remotePortLow()).putInt(filter.remotePortHigh());
            out.putInt(filter.uePortLow()).putInt(filter.uePortHigh());
        }
        out.putInt(pdr.qfi()).putLong(pdr.farId());
        out.put((byte) pdr.qerIds().size());
        pdr.qerIds().forEach(out::putLong);
    }

    private static void far(ByteBuffer out, Far far) {
        DestinationInterface destination = far.destination();
        OuterHeaderCreation outer = far.outerHeaderCreation();
        out.putLong(far.id()).put((byte) far.action().ordinal());
        out.put((byte) (destination == null ? -1 : destination.ordinal())).put((byte) (outer == null ? 0 : 1));
        out.putInt(outer == null ? 0 : outer.teid()).putInt(outer == null ? 0 : outer.peerIpv4());
        text(out, far.networkInstance());
    }

    static SessionRecord read(ByteBuffer in) {
        int peer = in.getInt();
        long cpSeid = in.getLong();
        long seid = in.getLong();
        List<Pdr> pdrs = new ArrayList<>();
        for (int n = in.getShort(); n > 0; n--) {
            pdrs.add(pdr(in));
        }
        List<Far> fars = new ArrayList<>();
        for (int n = in.getShort(); n > 0; n--) {
            fars.add(far(in));
        }
        List<Qer> qers = new ArrayList<>();
        for (int n = in.getShort(); n > 0; n--) {
            long id = in.getLong();
            int gates = in.get();
            qers.add(new Qer(id, (gates & 1) != 0, (gates & 2) != 0, in.getLong(), in.getLong(), in.getInt()));
        }
        List<Long> urrs = new ArrayList<>();
        for (int n = in.getShort(); n > 0; n--) {
            urrs.add(in.getLong());
        }
        List<Integer> bars = new ArrayList<>();
        for (int n = in.getShort(); n > 0; n--) {
            bars.add(in.getInt());
        }
        List<ChosenTeid> chosen = new ArrayList<>();
        for (int n = in.getShort(); n > 0; n--) {
            chosen.add(new ChosenTeid(in.getInt(), in.getInt(), in.getInt()));
        }
        return new SessionRecord(peer, cpSeid, new SessionRules(seid, pdrs, fars, qers), urrs, bars, chosen);
    }

    private static Pdr pdr(ByteBuffer in) {
        int id = in.getInt();
        long precedence = in.getLong();
        SourceInterface source = SOURCES[in.get()];
        int flags = in.get();
        FTeid fTeid = new FTeid(in.getInt(), in.getInt());
        int ue = in.getInt();
        String networkInstance = text(in);
        List<SdfFilter> filters = new ArrayList<>();
        for (int n = in.get(); n > 0; n--) {
            filters.add(new SdfFilter(
                    in.getInt(),
                    in.getInt(),
                    in.getInt(),
                    in.getInt(),
                    in.getInt(),
                    in.getInt(),
                    in.getInt(),
                    in.getInt(),
                    in.getInt()));
        }
        int qfi = in.getInt();
        long farId = in.getLong();
        List<Long> qerIds = new ArrayList<>();
        for (int n = in.get(); n > 0; n--) {
            qerIds.add(in.getLong());
        }
        return new Pdr(
                id,
                precedence,
                source,
                (flags & 1) != 0 ? fTeid : null,
                (flags & 2) != 0 ? ue : null,
                networkInstance,
                filters,
                qfi,
                (flags & 4) != 0,
                farId,
                qerIds);
    }

    private static Far far(ByteBuffer in) {
        long id = in.getLong();
        Far.Action action = ACTIONS[in.get()];
        int destination = in.get();
        boolean hasOuter = in.get() != 0;
        OuterHeaderCreation outer = new OuterHeaderCreation(in.getInt(), in.getInt());
        return new Far(
                id, action, destination < 0 ? null : DESTINATIONS[destination], text(in), hasOuter ? outer : null);
    }

    private static void text(ByteBuffer out, String text) {
        out.put((byte) text.length());
        out.put(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String text(ByteBuffer in) {
        byte[] bytes = new byte[in.get()];
        in.get(bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
