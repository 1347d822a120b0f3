package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.pfcp.RawPfcp;
import io.upfdataplane.dataplane.pfcp.SmfMessages;
import io.upfdataplane.dataplane.pfcp.SmfMessages.Message;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** One flavour's messages against an agent, with the SEIDs and TEIDs that it chose put in. */
final class SmfLife {
    final N4Bench bench = new N4Bench();
    final Map<Integer, Long> seids = new HashMap<>();
    final Map<String, Integer> chosenTeids = new HashMap<>();
    private final String flavour;
    private final UnaryOperator<byte[]> change;

    SmfLife(String flavour) {
        this(flavour, bytes -> bytes);
    }

    /**
     * @param change what is done to each message before it is sent
     */
    SmfLife(String flavour, UnaryOperator<byte[]> change) {
        this.flavour = flavour;
        this.change = change;
    }

    RawPfcp.Read send(String name) {
        byte[] bytes = message(name);
        RawPfcp.Read answer = bench.ask(bytes);
        Message message = SmfMessages.of(flavour, name);
        if (answer.type() == 51 && answer.cause() == 1) {
            int session = ByteBuffer.wrap(RawPfcp.read(bytes).only(57)).getInt(5);
            seids.put(session, ByteBuffer.wrap(answer.only(57)).getLong(1));
        }
        if (message.type() == 50 || message.type() == 52) {
            for (RawPfcp.Ie created : answer.all(8)) {
                List<RawPfcp.Ie> ies = created.group();
                int pdr = ByteBuffer.wrap(ies.get(0).value()).getShort();
                chosenTeids.put(
                        "PDR " + pdr, ByteBuffer.wrap(ies.get(1).value()).getInt(1));
            }
        }
        return answer;
    }

    byte[] message(String name) {
        Message message = SmfMessages.of(flavour, name);
        byte[] bytes = message.bytes().clone();
        if (message.type() == 52 || message.type() == 54) {
            ByteBuffer.wrap(bytes).putLong(4, seids.getOrDefault(message.session(), 0x1111L));
        }
        message.patchTeidAt()
                .forEach((pdr, offsets) ->
                        offsets.forEach(offset -> ByteBuffer.wrap(bytes).putInt(offset, chosenTeids.get(pdr))));
        return change.apply(bytes);
    }
}
