package io.upfdataplane.dataplane.bench;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code dataplane bench}: one run of the packet path in memory; {@code hack/bench} holds many against C. */
@Command(name = "bench", description = "Times the packet path in memory, in this JVM.", mixinStandardHelpOptions = true)
public final class BenchCommand implements Callable<Integer> {
    @Option(names = "--direction", description = "uplink or downlink", defaultValue = "uplink")
    private String direction = "uplink";

    @Option(names = "--sessions", description = "1 to 1048576", defaultValue = "1000")
    private int sessions;

    @Option(names = "--seconds", description = "measured, after as long a warm-up", defaultValue = "2")
    private double seconds;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        boolean downlink = direction.equals("downlink");
        if (!downlink && !direction.equals("uplink")) {
            return refuse("--direction " + direction + ": uplink or downlink is needed");
        }
        if (sessions < 1 || sessions > 1 << 20) {
            return refuse("--sessions " + sessions + ": 1 to 1048576 is needed");
        }
        PipelineBenchmark.Result result = PipelineBenchmark.run(downlink, sessions, seconds);
        PrintWriter out = spec.commandLine().getOut();
        out.printf(
                Locale.ROOT,
                "java %s sessions=%d median=%.2f p90=%.2f packets=%d dropped=%d%n",
                result.direction(),
                result.sessions(),
                result.medianNs(),
                result.p90Ns(),
                result.packets(),
                result.dropped());
        out.flush();
        return result.dropped() == 0 ? 0 : 1;
    }

    private int refuse(String message) {
        PrintWriter err = spec.commandLine().getErr();
        err.println(message);
        err.flush();
        return 2;
    }
}
