package io.upfdataplane.dataplane;

import io.upfdataplane.dataplane.bench.BenchCommand;
import io.upfdataplane.dataplane.run.PreflightCommand;
import io.upfdataplane.dataplane.run.ProbeCommand;
import io.upfdataplane.dataplane.run.RunCommand;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The program's entry: {@code dataplane run|preflight|probe|bench}. */
@Command(
        name = "dataplane",
        description = "Moves GTP-U packets of a 5G user plane function between N3 and N6.",
        mixinStandardHelpOptions = true,
        subcommands = {RunCommand.class, PreflightCommand.class, ProbeCommand.class, BenchCommand.class})
public final class Dataplane {
    /** Something failed that no answer was made for: a defect, or a kernel that refuses what every kernel allows. */
    private static final int FAILED = 1;

    private Dataplane() {}

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Dataplane()).setExecutionExceptionHandler((thrown, command, parsed) -> {
            PrintWriter err = command.getErr();
            err.println(command.getCommandName() + ": " + thrown);
            err.flush();
            return FAILED;
        });
    }
}
