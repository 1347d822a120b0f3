package io.upfdataplane.dataplane.run;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.upfdataplane.dataplane.config.ConfigError;
import io.upfdataplane.dataplane.config.ConfigFile;
import io.upfdataplane.dataplane.config.Judgement;
import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.preflight.Facts;
import io.upfdataplane.dataplane.preflight.Finding;
import io.upfdataplane.dataplane.preflight.Preflight;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code dataplane preflight}: judges the candidate plan in this place; exit code 0 or 2. */
@Command(
        name = "preflight",
        description = "Judges the candidate of a configuration in this place, before anything is touched.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:every check passes, perhaps with warnings", "2:refused, or the configuration is wrong"})
public final class PreflightCommand implements Callable<Integer> {
    static final int REFUSED = 2;
    private static final ObjectMapper JSON = JsonMapper.builder().build();

    enum Output {
        auto,
        json,
        table
    }

    @Option(names = "--config", required = true, paramLabel = "FILE", description = "The dataplane's configuration.")
    private @Nullable Path config;

    @Option(
            names = "--output",
            defaultValue = "auto",
            description = "${COMPLETION-CANDIDATES}; auto: a table on a terminal, else JSON.")
    private Output output = Output.auto;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        CommandSpec command = Objects.requireNonNull(spec);
        return switch (new ConfigFile(Objects.requireNonNull(config)).read()) {
            case Judgement.Refused refused -> {
                PrintWriter err = command.commandLine().getErr();
                for (ConfigError error : refused.errors()) {
                    err.println(config + ": " + error);
                }
                err.flush();
                yield REFUSED;
            }
            case Judgement.Accepted accepted -> {
                Plan plan = accepted.config().candidate();
                List<Finding> findings = Preflight.judge(plan, Facts.here(plan));
                PrintWriter out = command.commandLine().getOut();
                boolean terminal = System.console() != null && System.console().isTerminal();
                boolean table = output == Output.table || (output == Output.auto && terminal);
                out.println(table ? table(findings) : JSON.writeValueAsString(findings));
                out.flush();
                yield Preflight.passes(findings) ? 0 : REFUSED;
            }
        };
    }

    static String table(List<Finding> findings) {
        StringBuilder text = new StringBuilder();
        for (Finding f : findings) {
            text.append("%-8s%-21s%s%n".formatted(f.result(), f.name(), f.observed()));
            if (f.result() != Finding.Result.Pass) {
                text.append("%29sneeded: %s%n".formatted("", f.required()));
                if (!f.hint().isEmpty()) {
                    text.append("%29sdo: %s%n".formatted("", f.hint()));
                }
            }
        }
        return text.toString().stripTrailing();
    }
}
