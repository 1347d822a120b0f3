package io.upfdataplane.dataplane.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever an editor leaves in the file: a value, or errors that name line, field, found and expected; never an exception. */
class ConfigFuzzTest {
    private static final int ROUNDS = 2_000;
    private static final int MOST_TEXT = 2_000;

    private static final List<String> VALUES = List.of(
            "~",
            "\"\"",
            "-1",
            "0",
            "99999999999999999999999999",
            "9223372036854775808",
            "1e9",
            ".inf",
            ".nan",
            "0x10",
            "0o17",
            "1_000",
            "true",
            "2026-01-01",
            "[]",
            "{}",
            "[[[[]]]]",
            "{a: {b: {c: d}}}",
            "!!binary aGFsbG8=",
            "!!set {a, b}",
            "!java.net.URL [x]",
            "&a x",
            "*a",
            "<<",
            "|\n  text",
            ">\n  text",
            "'\\u0000'",
            "\"\\0\"",
            "\"\\ud800\"",
            "ümläut",
            "𝟙𝟚",
            "\u200b1",
            "10.33.0.1/24/24",
            "10.33.0.999/24",
            "256.256.256.256",
            "99999999h",
            "10s10s",
            "x".repeat(300),
            "% @ `",
            "\t");

    private static List<ConfigError> errors(Judgement judgement) {
        return judgement instanceof Judgement.Refused refused ? refused.errors() : List.of();
    }

    private static void judge(String what, byte[] bytes) {
        Judgement judgement;
        try {
            judgement = ConfigJudge.judge(bytes);
        } catch (RuntimeException | StackOverflowError e) {
            throw new AssertionError(what + "\n" + new String(bytes, StandardCharsets.UTF_8), e);
        }
        if (judgement instanceof Judgement.Accepted) {
            return;
        }
        int lines = 2 + (int) new String(bytes, StandardCharsets.UTF_8).lines().count();
        assertThat(errors(judgement))
                .as(what)
                .isNotEmpty()
                .hasSizeLessThanOrEqualTo(2 * ConfigJudge.MOST_ERRORS)
                .allSatisfy(error -> {
                    assertThat(error.line()).isBetween(1, lines);
                    assertThat(error.found()).isNotBlank();
                    assertThat(error.expected()).isNotBlank();
                    assertThat(error.toString())
                            .hasSizeLessThan(MOST_TEXT)
                            .doesNotContain("Exception", "snakeyaml", "jackson");
                });
    }

    @Test
    void everyFieldWithEveryStrangeValueIsJudged() throws IOException {
        List<String> lines = ConfigJudgeTest.example().lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            int colon = line.indexOf(": ");
            if (colon < 0 || line.stripLeading().startsWith("#")) {
                continue;
            }
            for (String value : VALUES) {
                String changed = line.substring(0, colon + 2) + value;
                judge("line " + (i + 1) + ": " + changed, with(lines, i, changed));
            }
        }
    }

    @Test
    void randomEditsAreJudged() throws IOException {
        byte[] example = ConfigJudgeTest.example().getBytes(StandardCharsets.UTF_8);
        SplittableRandom random = new SplittableRandom(20261130);
        List<String> lines = ConfigJudgeTest.example().lines().toList();
        for (int round = 0; round < ROUNDS; round++) {
            byte[] bytes = example.clone();
            switch (random.nextInt(4)) {
                case 0 -> {
                    for (int i = random.nextInt(1, 8); i > 0; i--) {
                        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
                    }
                }
                case 1 -> {
                    String marks = "\t:-[]{}&*!|>'\"%@`#,?\n ~";
                    for (int i = random.nextInt(1, 6); i > 0; i--) {
                        bytes[random.nextInt(bytes.length)] = (byte) marks.charAt(random.nextInt(marks.length()));
                    }
                }
                case 2 -> bytes = with(lines, random.nextInt(lines.size()), lines.get(random.nextInt(lines.size())));
                default -> {
                    int line = random.nextInt(lines.size());
                    bytes = with(
                            lines,
                            line,
                            "  ".repeat(random.nextInt(5)) + lines.get(line).strip());
                }
            }
            judge("round " + round, bytes);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[", "{", "- ", "{a: ", "? ", "a: {", "!!str ", "&a ", "\"", "'", "# ", "a: b\n", "\t", "%", "*a "
            })
    void aFileFullOfOneMarkIsJudgedInTime(String mark) {
        byte[] bytes = mark.repeat(YamlTree.MAX_BYTES / mark.length()).getBytes(StandardCharsets.UTF_8);
        org.junit.jupiter.api.Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(30), () -> judge("full of " + mark, bytes));
    }

    @Test
    void thousandsOfUnknownFieldsAreRefusedByTheFirstHundred() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 12_000; i++) {
            text.append('f').append(i).append(": 1\n");
        }
        judge("unknown fields", text.toString().getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void anUnfilledTemplateIsSaidInPlainWords() throws IOException {
        String text = ConfigJudgeTest.example().replace("device: n3", "device: {{ .Values.n3 }}");
        assertThat(errors(ConfigJudge.judge(text.getBytes(StandardCharsets.UTF_8))))
                .first()
                .extracting(ConfigError::found)
                .isEqualTo("a mapping or a list where the name of a field belongs");
    }

    @Test
    void aHundredKibibytesInOneFieldIsRefusedInShortWords() throws IOException {
        String long1 = "x".repeat(YamlTree.MAX_BYTES - 4096);
        for (String field : List.of("nodeId: 10.33.0.1 ", "mode: AF_XDP", "device: n3", "planHash: 5f0c1e9a7b3d")) {
            String text = ConfigJudgeTest.example();
            assertThat(text).contains(field);
            String name = field.substring(0, field.indexOf(':') + 2);
            judge(field, text.replace(field, name + long1 + " ").getBytes(StandardCharsets.UTF_8));
            judge(field, text.replace(field, long1 + ": 1 ").getBytes(StandardCharsets.UTF_8));
        }
    }

    private static byte[] with(List<String> lines, int at, String changed) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < lines.size(); i++) {
            text.append(i == at ? changed : lines.get(i)).append('\n');
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }
}
