package io.upfdataplane.dataplane.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Judges a configuration file whole: every error (up to a hundred of a kind) is found in one pass, or a value comes out that needs no more checks. */
public final class ConfigJudge {
    /** Who has so many does not read on; and a file can hold a hundred thousand. */
    static final int MOST_ERRORS = 100;

    private final List<ConfigError> errors = new ArrayList<>();

    private ConfigJudge() {}

    public static Judgement judge(byte[] bytes) {
        return new ConfigJudge().document(bytes);
    }

    private Judgement document(byte[] bytes) {
        YamlNode root = YamlTree.read(bytes, errors);
        DataplaneConfig config = root == null ? null : config(root);
        if (config == null || !errors.isEmpty()) {
            errors.sort(Comparator.comparingInt(ConfigError::line));
            return new Judgement.Refused(errors);
        }
        return new Judgement.Accepted(config);
    }

    private @Nullable DataplaneConfig config(YamlNode root) {
        try (Fields top = Fields.of(root, 1, "", errors)) {
            if (!(root instanceof YamlNode.Mapping)) {
                return null;
            }
            top.text(
                    "apiVersion",
                    Pattern.compile(Pattern.quote(DataplaneConfig.API_VERSION)),
                    DataplaneConfig.API_VERSION);
            top.text("kind", Pattern.compile(Pattern.quote(DataplaneConfig.KIND)), DataplaneConfig.KIND);
            long generation = top.number("generation", 0, Long.MAX_VALUE >> 8);
            Plan candidate;
            try (Fields plan = top.fields("candidate")) {
                candidate = new PlanJudge(errors).plan(plan);
            }
            Plan lastGood = null;
            if (top.has("lastGood")) {
                try (Fields plan = top.fields("lastGood")) {
                    lastGood = new PlanJudge(errors).plan(plan);
                }
            }
            return new DataplaneConfig(generation, candidate, lastGood);
        }
    }
}
