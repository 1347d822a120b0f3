package io.upfdataplane.dataplane.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.upfdataplane.dataplane.config.ConfigJudge;
import io.upfdataplane.dataplane.config.Judgement;
import io.upfdataplane.dataplane.config.Plan;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StateDirectoryTest {
    private static final Refusal REFUSAL =
            new Refusal("abc", "AF_XDP", "MtuFitsXdp", "n3 has MTU 9000", "at most 3506", "ip link set n3 mtu 3506");

    @TempDir
    private Path folder;

    @Test
    void keepsARefusalUntilItIsForgotten() throws Exception {
        try (StateDirectory state = StateDirectory.open(folder)) {
            assertThat(state.refused()).isEmpty();
            state.remember(REFUSAL);
        }
        try (StateDirectory state = StateDirectory.open(folder)) {
            assertThat(state.refused()).contains(REFUSAL);
            state.forgetRefused();
            assertThat(state.refused()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "\u00ff{", "null", "[]", "{}", "{\"planHash\": null}", "{\"planHash\": \"abc\"}", "\u0000"})
    void ignoresARefusalThatCannotBeRead(String content) throws Exception {
        Files.write(folder.resolve("refused.json"), content.getBytes(StandardCharsets.ISO_8859_1));
        try (StateDirectory state = StateDirectory.open(folder)) {
            assertThat(state.refused()).isEmpty();
            state.remember(REFUSAL);
            assertThat(state.refused()).contains(REFUSAL);
        }
    }

    @Test
    void namesADirectoryThatCannotBeWritten() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        assertThatThrownBy(() -> StateDirectory.open(file)).hasMessageContaining("state directory " + file);
    }

    @Test
    void keepsThePlanThatRanWell() throws Exception {
        byte[] config = Files.readAllBytes(Path.of("../examples/dataplane-config.yaml"));
        Plan candidate =
                ((Judgement.Accepted) ConfigJudge.judge(config)).config().candidate();
        try (StateDirectory state = StateDirectory.open(folder)) {
            assertThat(state.lastGood()).isEmpty();
            state.rememberGood(config);
            assertThat(state.lastGood()).contains(candidate);
        }
    }

    @Test
    void damagedFilesAreIgnoredAndDoNotStopTheStart() throws Exception {
        Files.writeString(folder.resolve("refused.json"), "{\"planHash\": ");
        Files.writeString(folder.resolve("last-good.yaml"), "candidate: {");
        try (StateDirectory state = StateDirectory.open(folder)) {
            assertThat(state.refused()).isEmpty();
            assertThat(state.lastGood()).isEmpty();
        }
    }

    @Test
    void belongsToOneProcess() throws Exception {
        try (StateDirectory state = StateDirectory.open(folder)) {
            assertThat(state.path()).isEqualTo(folder);
            // Within one virtual machine the lock is refused in another way than between two.
            assertThatThrownBy(() -> StateDirectory.open(folder)).isInstanceOf(OverlappingFileLockException.class);
        }
    }
}
