package io.upfdataplane.dataplane.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A piece of a YAML document that remembers its line. */
sealed interface YamlNode {
    int line();

    /** What a reader of an error message sees. */
    String shown();

    /**
     * @param quoted the text stood in quotes, so it is no number, no boolean and no null
     */
    record Scalar(int line, String text, boolean quoted) implements YamlNode {
        private static final int SHOWN_LIMIT = 60;

        boolean isNull() {
            return !quoted && (text.isEmpty() || text.equals("~") || text.equals("null"));
        }

        @Override
        public String shown() {
            if (isNull()) {
                return "nothing";
            }
            String cut = text.length() > SHOWN_LIMIT ? text.substring(0, SHOWN_LIMIT) + "…" : text;
            return quoted ? '"' + cut + '"' : cut;
        }
    }

    record Mapping(int line, Map<String, Entry> entries) implements YamlNode {
        public Mapping {
            entries = new LinkedHashMap<>(entries);
        }

        @Override
        public String shown() {
            return "a mapping";
        }
    }

    /**
     * @param line of the key
     */
    record Entry(int line, YamlNode value) {}

    record Sequence(int line, List<YamlNode> items) implements YamlNode {
        public Sequence {
            items = List.copyOf(items);
        }

        @Override
        public String shown() {
            return "a list of " + items.size();
        }
    }
}
