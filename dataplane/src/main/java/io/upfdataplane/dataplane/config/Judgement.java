package io.upfdataplane.dataplane.config;

import java.util.List;

/** What {@link ConfigJudge} says of a file: the whole configuration, or everything that is wrong with it. */
public sealed interface Judgement {
    record Accepted(DataplaneConfig config) implements Judgement {}

    record Refused(List<ConfigError> errors) implements Judgement {
        public Refused {
            errors = List.copyOf(errors);
        }
    }
}
