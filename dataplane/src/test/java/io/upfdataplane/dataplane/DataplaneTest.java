package io.upfdataplane.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What a user of the program sees: output and exit codes. */
class DataplaneTest {
    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void aWrongConfigurationEndsWithAllItsErrorsAndExitCode2() throws Exception {
        Path config =
                Files.writeString(folder.resolve("config.yaml"), "kind: DataplaneConfig\ncandidate: {mode: DPDK}\n");
        for (String command : new String[] {"run", "preflight"}) {
            assertThat(execute(command, "--config", config.toString())).isEqualTo(2);
            assertThat(err.toString())
                    .contains("candidate.mode: found \"DPDK\", expected one of AF_PACKET, AF_XDP")
                    .contains("candidate.workers")
                    .contains("line 2");
        }
    }

    @Test
    void aFileThatIsNotThereIsSaidSo() {
        assertThat(execute("run", "--config", folder.resolve("none.yaml").toString()))
                .isEqualTo(2);
        assertThat(err.toString()).contains("none.yaml").contains("a readable file");
    }

    @Test
    void preflightPrintsAListOfFindingsAndExits2WhereOneFails() throws Exception {
        String text = Files.readString(Path.of("../examples/dataplane-config.yaml"))
                .replace("device: n3", "device: not-here-n3")
                .replace("device: n6", "device: not-here-n6");
        Path config = Files.writeString(folder.resolve("config.yaml"), text);
        assertThat(execute("preflight", "--output", "json", "--config", config.toString()))
                .isEqualTo(2);
        JsonNode findings = new ObjectMapper().readTree(out.toString());
        assertThat(findings).hasSize(16);
        JsonNode first = findings.get(0);
        assertThat(first.path("name").asText()).isEqualTo("InterfaceExists");
        assertThat(first.path("result").asText()).isEqualTo("Fail");
        for (String field : new String[] {"observed", "required", "hint"}) {
            assertThat(first.path(field).asText()).contains("not-here-n3");
        }
        assertThat(execute("preflight", "--output", "table", "--config", config.toString()))
                .isEqualTo(2);
        assertThat(out.toString()).contains("Fail    InterfaceExists");
    }

    @Test
    void probePrintsANodeReport() throws Exception {
        assertThat(execute("probe", "--node-name", "edge-1")).isZero();
        JsonNode report = new YAMLMapper().readTree(out.toString());
        assertThat(report.path("kind").asText()).isEqualTo("UpfNodeReport");
        assertThat(report.path("metadata").path("name").asText()).isEqualTo("edge-1");
        assertThat(report.path("spec").path("cpus").path("allowed")).isNotEmpty();
    }

    private int execute(String... arguments) {
        CommandLine line = Dataplane.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }
}
