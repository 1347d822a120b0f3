package io.upfdataplane.operator;

import io.quarkus.runtime.annotations.QuarkusMain;
import io.upfdataplane.operator.reconcile.ReconcileCommand;
import io.upfdataplane.operator.standalone.PlanCommand;
import io.upfdataplane.operator.standalone.StandaloneCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The program. {@code plan} and {@code standalone} run without Quarkus, which only {@code reconcile} starts. */
@QuarkusMain
@Command(
        name = "operator",
        mixinStandardHelpOptions = true,
        description =
                "Deploys and tunes a 5G User Plane Function; one field of a resource selects its packet I/O mode.",
        subcommands = {PlanCommand.class, StandaloneCommand.class, ReconcileCommand.class})
public final class Operator implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.@org.jspecify.annotations.Nullable CommandSpec spec;

    public static void main(String[] args) {
        CommandLine line = new CommandLine(new Operator());
        line.setExecutionExceptionHandler((e, command, parsed) -> {
            command.getErr().println(e.getMessage() == null ? e.toString() : e.getMessage());
            return 1;
        });
        System.exit(line.execute(args));
    }

    @Override
    public void run() {
        if (spec != null) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "say what to do: plan, standalone or reconcile");
        }
    }
}
