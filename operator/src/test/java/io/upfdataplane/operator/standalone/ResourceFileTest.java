package io.upfdataplane.operator.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.upfdataplane.operator.model.Fault;
import io.upfdataplane.operator.model.Malformed;
import io.upfdataplane.operator.model.UpfModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever an editor leaves in the file of a resource: a model, or faults that say where, what and what else. */
class ResourceFileTest {
    private static final int ROUNDS = 500;

    private static String example() throws IOException {
        return Files.readString(Path.of("../examples/upfdataplane.yaml"));
    }

    private static void judge(String what, String text) {
        try {
            UpfModel.of(ResourceFile.parse(text));
        } catch (Malformed malformed) {
            assertThat(malformed.faults()).as(what).isNotEmpty().allSatisfy(fault -> {
                assertThat(fault.field()).isNotBlank().hasSizeLessThan(300);
                assertThat(fault.found()).isNotBlank().hasSizeLessThan(300);
                assertThat(fault.needed()).isNotBlank();
            });
        } catch (RuntimeException | StackOverflowError e) {
            throw new AssertionError(what + "\n" + text.substring(0, Math.min(4_000, text.length())), e);
        }
    }

    /** An API server never sees one: kubectl puts the value in its place. */
    @Test
    void refusesAnAliasRatherThanTakeItsNameForTheValue() throws IOException {
        String text =
                example().replaceFirst("mode: \\w+", "mode: &mode AF_PACKET").replaceFirst("name: \\w+", "name: *mode");
        Malformed malformed = catchThrowableOfType(Malformed.class, () -> ResourceFile.parse(text));
        assertThat(malformed).isNotNull();
        assertThat(malformed.faults()).extracting(Fault::found).containsExactly("the alias *mode");
        assertThat(malformed.faults().getFirst().field()).startsWith("line ");
    }

    @Test
    void judgesEveryFieldWithStrangeValues() throws IOException {
        List<String> lines = example().lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            int colon = lines.get(i).indexOf(": ");
            if (colon < 0) {
                continue;
            }
            for (String value : List.of(
                    "~",
                    "-1",
                    "99999999999999999999999999",
                    "1e400",
                    ".nan",
                    "true",
                    "[]",
                    "{}",
                    "[[[]]]",
                    "{{ .x }}",
                    "!!binary aGFs",
                    "&a x",
                    "*a",
                    "'\\0'",
                    "ü",
                    "x".repeat(100_000),
                    "\t",
                    "2026-01-01")) {
                String changed = lines.get(i).substring(0, colon + 2) + value;
                judge("line " + (i + 1) + ": " + value, with(lines, i, changed));
            }
        }
    }

    @Test
    void judgesRandomEdits() throws IOException {
        String example = example();
        List<String> lines = example.lines().toList();
        SplittableRandom random = new SplittableRandom(20261130);
        String marks = "\t:-[]{}&*!|>'\"%@`#,?\n ~é";
        for (int round = 0; round < ROUNDS; round++) {
            if (random.nextBoolean()) {
                StringBuilder text = new StringBuilder(example);
                for (int i = random.nextInt(1, 6); i > 0; i--) {
                    text.setCharAt(random.nextInt(text.length()), marks.charAt(random.nextInt(marks.length())));
                }
                judge("round " + round, text.toString());
            } else {
                judge(
                        "round " + round,
                        with(lines, random.nextInt(lines.size()), lines.get(random.nextInt(lines.size()))));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "{", "- ", "{a: ", "? ", "\"", "\t", "*a ", "a: b\n"})
    void judgesAFileFullOfOneMark(String mark) {
        judge("full of " + mark, mark.repeat((1 << 20) / mark.length()));
    }

    private static String with(List<String> lines, int at, String changed) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < lines.size(); i++) {
            text.append(i == at ? changed : lines.get(i)).append('\n');
        }
        return text.toString();
    }
}
