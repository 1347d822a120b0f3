package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.UpfDataplaneSpec;
import io.upfdataplane.operator.model.UpfModel;
import org.jspecify.annotations.Nullable;

/** Rings and frames: the wish where there is one, else what fits the model. Preflight judges it, the plan explains it. */
public final class Sizing {
    public static final int DEFAULT_RING = 2048;
    public static final int DEFAULT_FILL = 4096;
    private static final int LEGS = 2;

    private Sizing() {}

    public static int rx(UpfModel model) {
        return wish(rings(model).rx(), DEFAULT_RING);
    }

    public static int tx(UpfModel model) {
        return wish(rings(model).tx(), DEFAULT_RING);
    }

    public static int fill(UpfModel model) {
        return wish(rings(model).fill(), DEFAULT_FILL);
    }

    public static int completion(UpfModel model) {
        return wish(rings(model).completion(), DEFAULT_FILL);
    }

    /**
     * A frame is in one of the two fill rings, in a worker's receive or transmit ring, or in a worker's hands: four times
     * the fill entries keep refilling going while all others are on their way, and no worker's rings may starve another's.
     */
    static int leastFrames(UpfModel model) {
        int supplied = 4 * LEGS * fill(model);
        int held = LEGS * (fill(model) + model.workers() * (rx(model) + tx(model)));
        return powerOfTwo(Math.max(supplied, held));
    }

    public static int frames(UpfModel model) {
        UpfDataplaneSpec.Umem umem = model.tuning().umem();
        return wish(umem == null ? null : umem.frames(), leastFrames(model));
    }

    /** From the spec alone: a device whose MTU somebody changes must not make a running dataplane start anew. */
    public static int frameSize(UpfModel model) {
        UpfDataplaneSpec.Umem umem = model.tuning().umem();
        int largestMtu = 0;
        for (UpfModel.Leg leg : model.packetLegs()) {
            Integer mtu = leg.mtu();
            largestMtu = Math.max(largestMtu, mtu == null ? Mtu.ETHERNET : mtu);
        }
        return wish(umem == null ? null : umem.frameSize(), largestMtu <= Mtu.fits(2048) ? 2048 : Mtu.LARGEST_FRAME);
    }

    public static long poolBytes(UpfModel model) {
        return (long) frames(model) * frameSize(model);
    }

    private static UpfDataplaneSpec.Rings rings(UpfModel model) {
        UpfDataplaneSpec.Rings rings = model.tuning().rings();
        return rings == null ? new UpfDataplaneSpec.Rings(null, null, null, null) : rings;
    }

    private static int wish(@Nullable Integer wish, int otherwise) {
        return wish == null ? otherwise : wish;
    }

    private static int powerOfTwo(int atLeast) {
        return atLeast <= 1 ? 1 : Integer.highestOneBit(atLeast - 1) << 1;
    }
}
