package io.upfdataplane.dataplane.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigFileTest {
    @TempDir
    private Path folder;

    @Test
    void seesAnEditInPlaceOnce() throws IOException {
        Path file = Files.writeString(folder.resolve("config.yaml"), ConfigJudgeTest.MINIMAL);
        ConfigFile config = new ConfigFile(file);
        assertThat(config.read()).isInstanceOf(Judgement.Accepted.class);
        assertThat(config.readIfChanged()).isEmpty();

        Files.writeString(file, ConfigJudgeTest.MINIMAL.replace("generation: 1", "generation: 2"));
        assertThat(config.readIfChanged())
                .hasValueSatisfying(
                        j -> assertThat(((Judgement.Accepted) j).config().generation())
                                .isEqualTo(2));
        assertThat(config.readIfChanged()).isEmpty();
    }

    @Test
    void deliversTheErrorsOfABadEditAndThenTheGoodOne() throws IOException {
        Path file = Files.writeString(folder.resolve("config.yaml"), ConfigJudgeTest.MINIMAL);
        ConfigFile config = new ConfigFile(file);
        config.read();
        Files.writeString(file, ConfigJudgeTest.MINIMAL.replace("workers: 1", "workers: 0"));
        assertThat(config.readIfChanged()).hasValueSatisfying(j -> assertThat(j).isInstanceOf(Judgement.Refused.class));
        Files.writeString(file, ConfigJudgeTest.MINIMAL);
        assertThat(config.readIfChanged())
                .hasValueSatisfying(j -> assertThat(j).isInstanceOf(Judgement.Accepted.class));
    }

    /** A ConfigMap's volume: config.yaml → ..data/config.yaml, ..data → a dated folder, swapped by rename. */
    @Test
    void seesTheSymlinkSwapOfAConfigMap() throws IOException {
        Path first = Files.createDirectory(folder.resolve("..2026_1"));
        Files.writeString(first.resolve("config.yaml"), ConfigJudgeTest.MINIMAL);
        Files.createSymbolicLink(folder.resolve("..data"), first.getFileName());
        Path file = Files.createSymbolicLink(folder.resolve("config.yaml"), Path.of("..data/config.yaml"));
        ConfigFile config = new ConfigFile(file);
        assertThat(config.read()).isInstanceOf(Judgement.Accepted.class);

        Path second = Files.createDirectory(folder.resolve("..2026_2"));
        Files.writeString(
                second.resolve("config.yaml"), ConfigJudgeTest.MINIMAL.replace("generation: 1", "generation: 7"));
        Path swapped = Files.createSymbolicLink(folder.resolve("..data_tmp"), second.getFileName());
        Files.move(swapped, folder.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
        assertThat(config.readIfChanged())
                .hasValueSatisfying(
                        j -> assertThat(((Judgement.Accepted) j).config().generation())
                                .isEqualTo(7));
    }

    @Test
    void aFileThatIsAwayForAMomentIsNoChange() throws IOException {
        Path file = Files.writeString(folder.resolve("config.yaml"), ConfigJudgeTest.MINIMAL);
        ConfigFile config = new ConfigFile(file);
        config.read();
        Files.delete(file);
        assertThat(config.readIfChanged()).isEmpty();
        Files.writeString(file, ConfigJudgeTest.MINIMAL);
        assertThat(config.readIfChanged()).isEmpty();
    }

    @Test
    void aFileThatIsNotThereAtStartIsRefused() {
        assertThat(new ConfigFile(folder.resolve("none.yaml")).read())
                .isInstanceOfSatisfying(
                        Judgement.Refused.class,
                        r -> assertThat(r.errors().getFirst().found()).contains("none.yaml"));
    }
}
