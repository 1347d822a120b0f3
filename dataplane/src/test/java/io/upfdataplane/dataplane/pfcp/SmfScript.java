package io.upfdataplane.dataplane.pfcp;

import io.upfdataplane.dataplane.pfcp.SmfMessages.Message;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** One flavour's messages, sent one by one with the SEIDs and TEIDs that the answers chose put in. */
public class SmfScript {
    /** UP SEID by the number of the session. */
    public final Map<Integer, Long> seids = new HashMap<>();

    /** By «PDR n». */
    public final Map<String, Integer> chosenTeids = new HashMap<>();

    private final String flavour;
    private final UnaryOperator<byte[]> change;
    private final Function<byte[], RawPfcp.Read> ask;

    /**
     * @param change what is done to each message before it is sent
     * @param ask sends a request and returns its answer
     */
    public SmfScript(String flavour, UnaryOperator<byte[]> change, Function<byte[], RawPfcp.Read> ask) {
        this.flavour = flavour;
        this.change = change;
        this.ask = ask;
    }

    public final RawPfcp.Read send(String name) {
        byte[] bytes = message(name);
        RawPfcp.Read answer = ask.apply(bytes);
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

    public final byte[] message(String name) {
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
