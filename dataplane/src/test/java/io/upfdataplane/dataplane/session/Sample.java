package io.upfdataplane.dataplane.session;

import static io.upfdataplane.dataplane.pfcp.RawPfcp.ie;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.join;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.message;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.nodeMessage;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.text;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.u16;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.u32;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.u64;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.u8;

import io.upfdataplane.dataplane.pfcp.RawPfcp;
import java.nio.ByteBuffer;

/** Bytes of small, right requests, from which tests make wrong ones. */
public final class Sample {
    public static final int UE = 0x0a3c0001;
    public static final int SMF = 0x0a210002;
    private int sequence;

    public int nextSequence() {
        return ++sequence;
    }

    public static byte[] nodeId(int address) {
        return ie(60, u8(0), u32(address));
    }

    public byte[] association(int node, long stamp) {
        return nodeMessage(5, nextSequence(), nodeId(node), ie(96, u32(stamp)));
    }

    public byte[] association() {
        return association(SMF, 1000);
    }

    public byte[] heartbeat(long stamp) {
        return nodeMessage(1, nextSequence(), ie(96, u32(stamp)));
    }

    public byte[] release(int node) {
        return nodeMessage(9, nextSequence(), nodeId(node));
    }

    public static byte[] cpFSeid(long seid) {
        return ie(57, u8(2), u64(seid), u32(SMF));
    }

    /** An establishment of node {@link #SMF} with the given rules behind Node ID and F-SEID. */
    public byte[] establishment(long cpSeid, byte[]... rules) {
        return message(50, 0, nextSequence(), nodeId(SMF), cpFSeid(cpSeid), join(rules));
    }

    /** Up: PDR 1, FAR 1 to Core; down: PDR 2, FAR 2 to a tunnel; QER 1. */
    public byte[] establishment(long cpSeid, int ue, int teid) {
        return establishment(cpSeid, rules(ue, teid));
    }

    public static byte[] rules(int ue, int teid) {
        return join(uplinkPdr(1, fTeid(teid)), downlinkPdr(2, ue), forward(1, 1), forwardToTunnel(2, 513), qer(1));
    }

    public byte[] modification(long seid, byte[]... ies) {
        return message(52, seid, nextSequence(), ies);
    }

    public byte[] deletion(long seid) {
        return message(54, seid, nextSequence());
    }

    public static byte[] fTeid(int teid) {
        return ie(21, u8(1), u32(teid), u32(N4Bench.N3));
    }

    public static byte[] choose(int chooseId) {
        return chooseId < 0 ? ie(21, u8(5)) : ie(21, u8(0x0d), u8(chooseId));
    }

    public static byte[] sdf(String description) {
        return ie(23, u8(1), u8(0), u16(description.length()), text(description));
    }

    public static byte[] uplinkPdr(int id, byte[]... inPdi) {
        return pdr(id, 1, join(ie(20, u8(0)), join(inPdi)), ie(95, u8(0)), ie(109, u32(1)));
    }

    public static byte[] downlinkPdr(int id, int ue, byte[]... inPdi) {
        return pdr(id, 2, join(ie(20, u8(1)), ie(93, u8(2), u32(ue)), join(inPdi)), ie(109, u32(1)));
    }

    public static byte[] pdr(int id, int farId, byte[] pdi, byte[]... more) {
        return ie(1, ie(56, u16(id)), ie(29, u32(100)), ie(2, pdi), ie(108, u32(farId)), join(more));
    }

    public static byte[] forward(int id, int destination) {
        return ie(3, ie(108, u32(id)), ie(44, u8(2)), ie(4, ie(42, u8(destination))));
    }

    public static byte[] forwardToTunnel(int id, int teid) {
        return ie(3, ie(108, u32(id)), ie(44, u8(2)), ie(4, ie(42, u8(0)), tunnel(teid)));
    }

    public static byte[] tunnel(int teid) {
        return ie(84, u16(0x0100), u32(teid), u32(SMF));
    }

    public static byte[] qer(int id, byte[]... more) {
        return ie(7, ie(109, u32(id)), ie(25, u8(0)), join(more));
    }

    public static byte[] updateFar(int id, byte[]... more) {
        return ie(10, ie(108, u32(id)), join(more));
    }

    /** The UP SEID of an accepted establishment. */
    public static long seidOf(RawPfcp.Read answer) {
        if (answer.cause() != 1) {
            throw new AssertionError("refused: " + answer);
        }
        return ByteBuffer.wrap(answer.only(57)).getLong(1);
    }
}
