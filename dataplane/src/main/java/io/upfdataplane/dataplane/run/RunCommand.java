package io.upfdataplane.dataplane.run;

import io.upfdataplane.dataplane.config.ConfigError;
import io.upfdataplane.dataplane.config.ConfigFile;
import io.upfdataplane.dataplane.config.Judgement;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code dataplane run}: moves packets until SIGTERM. */
@Command(
        name = "run",
        description = "Runs the dataplane until SIGTERM; follows its configuration file.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:stopped when asked",
            "1:failed",
            "2:the configuration is wrong, or no plan can run in this place"
        })
public final class RunCommand implements Callable<Integer> {
    @Option(names = "--config", required = true, paramLabel = "FILE", description = "The dataplane's configuration.")
    private @Nullable Path config;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter err = Objects.requireNonNull(spec).commandLine().getErr();
        ConfigFile file = new ConfigFile(Objects.requireNonNull(config));
        return switch (file.read()) {
            case Judgement.Refused refused -> {
                for (ConfigError error : refused.errors()) {
                    err.println(config + ": " + error);
                }
                err.flush();
                yield PreflightCommand.REFUSED;
            }
            case Judgement.Accepted accepted -> run(new DataplaneProcess(file, accepted.config()), err);
        };
    }

    private static int run(DataplaneProcess process, PrintWriter err) throws IOException, InterruptedException {
        Thread hook = Thread.ofPlatform().name("stop").unstarted(() -> {
            if (process.stop()) {
                // A clean stop is success; without this the signal would be the exit code.
                Runtime.getRuntime().halt(0);
            }
        });
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            process.run();
            return 0;
        } catch (DataplaneProcess.PlanRefused e) {
            err.println(e.getMessage());
            err.flush();
            return PreflightCommand.REFUSED;
        } finally {
            forget(hook);
        }
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException stopping) {
            // The hook runs already: it is the one that asked for this end.
        }
    }
}
