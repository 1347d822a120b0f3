package io.upfdataplane.dataplane.port.afpacket;

import io.upfdataplane.dataplane.ffi.Errno.CallFailed;
import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.MadeUpPortSet;
import io.upfdataplane.dataplane.port.PacketPort;
import io.upfdataplane.dataplane.port.PortPlan;
import java.util.List;

/** AF_PACKET ports of one worker over rings that no kernel shares. One thread. */
public final class MadeUpAfPacketPorts implements MadeUpPortSet {
    private static final int SLOTS = 128;
    private static final int MTU_BYTES = 1500;

    private final Side n3;
    private final Side n6;

    public MadeUpAfPacketPorts(FramePool pool) {
        n3 = new Side(pool);
        n6 = new Side(pool);
    }

    @Override
    public PacketPort port(Leg leg, int worker) {
        return leg == Leg.N3 ? n3.port : n6.port;
    }

    @Override
    public void play(Leg leg, Maker maker, int frames) {
        (leg == Leg.N3 ? n3 : n6).play(maker, frames);
    }

    @Override
    public void engage() {
        // Frames come by play().
    }

    @Override
    public void disengage() {
        // Frames come by play().
    }

    @Override
    public void usePools(List<PortPlan.Prefix> uePools) {
        // All frames are ours.
    }

    @Override
    public ModeFacts facts() {
        return new ModeFacts("AF_PACKET", false, "None");
    }

    @Override
    public void close() {
        n3.port.close();
        n6.port.close();
    }

    /** One device, and the kernel's side of its rings. */
    private static final class Side {
        private final PacketSocket socket;
        private final AfPacketPort port;
        private int rxNext;
        private int txNext;
        private int received;

        Side(FramePool pool) {
            try {
                socket = PacketSocket.madeUp(pool.frameSize(), SLOTS);
            } catch (CallFailed e) {
                throw new IllegalStateException("memory for made-up rings", e);
            }
            port = new AfPacketPort(socket, pool, MTU_BYTES);
        }

        void play(Maker maker, int frames) {
            for (int i = 0; i < SLOTS && AfPacketPort.isToBeSent(slot(socket.txAddress(), txNext)); i++) {
                AfPacketPort.markSent(slot(socket.txAddress(), txNext));
                txNext = (txNext + 1) % SLOTS;
            }
            for (int i = 0; i < frames; i++) {
                long slot = slot(socket.rxAddress(), rxNext);
                if (!AfPacketPort.isFree(slot)) {
                    return;
                }
                int length = maker.write(AfPacketPort.receivedFrame(slot));
                // Every fourth frame is as a peer with transmit checksum offload sends it.
                AfPacketPort.markReceived(slot, length, received++ % 4 == 0);
                rxNext = (rxNext + 1) % SLOTS;
            }
        }

        private long slot(long ring, int i) {
            return (ring + (long) i * socket.slotBytes()) & Native.MASK;
        }
    }
}
