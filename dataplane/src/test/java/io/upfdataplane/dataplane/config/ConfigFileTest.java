package io.upfdataplane.dataplane.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.testbed.NetNamespaceFixture;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

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

    /** What stands where the file was, and how that is said. */
    private interface Spoiling {
        void of(Path file) throws IOException;
    }

    static Stream<Arguments> spoilings() {
        return Stream.of(
                Arguments.of("no file", (Spoiling) file -> {}),
                Arguments.of("is not a file", (Spoiling) Files::createDirectory),
                Arguments.of("is not a file", (Spoiling) ConfigFileTest::pipe),
                Arguments.of("no file", (Spoiling) file -> Files.createSymbolicLink(file, Path.of("nowhere"))));
    }

    private static void pipe(Path file) throws IOException {
        NetNamespaceFixture.run("mkfifo", file.toString());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("spoilings")
    void aFileThatStaysAwayIsSaidOnceAndItsReturnIsSeen(String found, Spoiling spoiling) throws IOException {
        Path file = Files.writeString(folder.resolve("config.yaml"), ConfigJudgeTest.MINIMAL);
        ConfigFile config = new ConfigFile(file);
        config.read();
        Files.delete(file);
        spoiling.of(file);
        List<Judgement> said = new ArrayList<>();
        for (int i = 0; i < 3 * ConfigFile.LOOKS_OF_A_MOMENT; i++) {
            config.readIfChanged().ifPresent(said::add);
        }
        assertThat(said)
                .singleElement()
                .isInstanceOfSatisfying(
                        Judgement.Refused.class,
                        r -> assertThat(r.errors().getFirst().found()).isEqualTo(found + ": " + file));
        assertThat(config.judged()).asString(StandardCharsets.UTF_8).isEqualTo(ConfigJudgeTest.MINIMAL);

        Files.deleteIfExists(file);
        Files.writeString(file, ConfigJudgeTest.MINIMAL);
        assertThat(config.readIfChanged())
                .hasValueSatisfying(j -> assertThat(j).isInstanceOf(Judgement.Accepted.class));
    }

    @Test
    void aFileThatIsNotThereAtStartIsRefused() {
        assertThat(new ConfigFile(folder.resolve("none.yaml")).read())
                .isInstanceOfSatisfying(
                        Judgement.Refused.class,
                        r -> assertThat(r.errors().getFirst().found()).contains("none.yaml"));
    }
}
