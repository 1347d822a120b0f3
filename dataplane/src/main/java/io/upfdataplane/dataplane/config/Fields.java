package io.upfdataplane.dataplane.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One mapping of the file while it is judged. Each read says what it expects and adds an error when it finds something
 * else, and then returns a stand-in, so that one pass finds everything; {@link #close} adds the fields nobody read.
 */
final class Fields implements AutoCloseable {
    static final int MAX_TEXT_LENGTH = 253;
    static final int MAX_LIST_LENGTH = 256;

    private static final Pattern INTEGER = Pattern.compile("-?(0|[1-9][0-9]{0,17})");
    private static final Pattern DURATION =
            Pattern.compile("(?:(\\d{1,4})h)?(?:(\\d{1,5})m)?(?:(\\d{1,6})s)?(?:(\\d{1,7})ms)?");
    private static final Ipv4Address NO_ADDRESS = new Ipv4Address(0);
    private static final int NEAR = 3;

    private final YamlNode.@Nullable Mapping mapping;
    private final int line;
    private final String path;
    private final List<ConfigError> errors;
    private final Set<String> known = new LinkedHashSet<>();

    private Fields(YamlNode.@Nullable Mapping mapping, int line, String path, List<ConfigError> errors) {
        this.mapping = mapping;
        this.line = line;
        this.path = path;
        this.errors = errors;
    }

    static Fields of(@Nullable YamlNode node, int line, String path, List<ConfigError> errors) {
        if (node instanceof YamlNode.Mapping m) {
            return new Fields(m, line, path, errors);
        }
        if (node != null) {
            errors.add(new ConfigError(node.line(), path, node.shown(), "a mapping"));
        }
        return new Fields(null, line, path, errors);
    }

    /** True when the field is there and is not null. */
    boolean has(String name) {
        return present(name) != null;
    }

    /** The mapping in a field that may be missing: then every read of it gives its default. */
    Fields optionalFields(String name) {
        YamlNode node = present(name);
        return of(node, lineOf(name), at(name), errors);
    }

    Fields fields(String name) {
        YamlNode node = present(name);
        if (node == null) {
            missing(name, "a mapping");
        }
        return of(node, lineOf(name), at(name), errors);
    }

    String text(String name, Pattern pattern, String expected) {
        String text = scalar(name, expected);
        if (text == null) {
            return "";
        }
        if (text.length() > MAX_TEXT_LENGTH || !pattern.matcher(text).matches()) {
            wrong(name, expected);
            return "";
        }
        return text;
    }

    String text(String name, Pattern pattern, String expected, String otherwise) {
        return readable(name) ? text(name, pattern, expected) : otherwise;
    }

    long number(String name, long low, long high) {
        String expected = "a whole number from " + low + " to " + high;
        YamlNode node = present(name);
        if (node == null) {
            missing(name, expected);
            return low;
        }
        if (node instanceof YamlNode.Scalar s
                && !s.quoted()
                && INTEGER.matcher(s.text()).matches()) {
            long value = Long.parseLong(s.text());
            if (value >= low && value <= high) {
                return value;
            }
        }
        wrong(name, expected);
        return low;
    }

    int integer(String name, int low, int high) {
        return (int) number(name, low, high);
    }

    int integer(String name, int low, int high, int otherwise) {
        return readable(name) ? integer(name, low, high) : otherwise;
    }

    int powerOfTwo(String name, int low, int high, int otherwise) {
        if (!readable(name)) {
            return otherwise;
        }
        int before = errors.size();
        int value = integer(name, low, high);
        if (errors.size() == before && Integer.bitCount(value) != 1) {
            int below = Integer.highestOneBit(value);
            wrong(name, "a power of two from " + low + " to " + high + ", such as " + below + " or " + 2L * below);
            return low;
        }
        return value;
    }

    <E extends Enum<E>> E oneOf(String name, Map<String, E> values) {
        String expected = "one of " + String.join(", ", values.keySet());
        E first = values.values().iterator().next();
        String text = scalar(name, expected);
        if (text == null) {
            return first;
        }
        E value = values.get(text);
        if (value == null) {
            wrong(name, expected);
            return first;
        }
        return value;
    }

    <E extends Enum<E>> E oneOf(String name, Map<String, E> values, E otherwise) {
        return readable(name) ? oneOf(name, values) : otherwise;
    }

    Duration duration(String name, Duration low, Duration high, Duration otherwise) {
        if (!readable(name)) {
            return otherwise;
        }
        String expected = "a duration from " + shown(low) + " to " + shown(high) + ", such as 10s or 1m30s";
        String text = scalar(name, expected);
        Duration value = text == null ? null : parseDuration(text);
        if (value == null || value.compareTo(low) < 0 || value.compareTo(high) > 0) {
            if (text != null) {
                wrong(name, expected);
            }
            return otherwise;
        }
        return value;
    }

    Ipv4Address hostAddress(String name, boolean anyAllowed) {
        String expected = anyAllowed ? "an IPv4 address, or 0.0.0.0 for all" : "an IPv4 address of a host";
        String text = scalar(name, expected);
        Ipv4Address address = text == null ? null : Ipv4Address.parse(text);
        if (address == null || !(address.isHost() || (anyAllowed && address.bits() == 0))) {
            if (text != null) {
                wrong(name, expected);
            }
            return NO_ADDRESS;
        }
        return address;
    }

    Ipv4Address hostAddress(String name, boolean anyAllowed, Ipv4Address otherwise) {
        return readable(name) ? hostAddress(name, anyAllowed) : otherwise;
    }

    @Nullable
    Ipv4Address optionalHostAddress(String name) {
        if (!readable(name)) {
            return null;
        }
        Ipv4Address address = hostAddress(name, false);
        return address.equals(NO_ADDRESS) ? null : address;
    }

    /** A network: host bits off. Null with an error added when it is not one. */
    @Nullable
    Ipv4Prefix network(String name) {
        String expected = "an IPv4 prefix such as 10.60.0.0/16";
        String text = scalar(name, expected);
        if (text == null) {
            return null;
        }
        Ipv4Prefix prefix = Ipv4Prefix.parse(text);
        if (prefix == null) {
            wrong(name, expected);
            return null;
        }
        if (!prefix.equals(prefix.network())) {
            wrong(name, "a prefix without host bits: " + prefix.network());
            return null;
        }
        return prefix;
    }

    /** The items of a list that may be missing; each with the path of its place. */
    List<Item> items(String name, int least, int most) {
        String expected = "a list of " + least + " to " + most;
        YamlNode node = present(name);
        if (node == null) {
            if (least > 0) {
                missing(name, expected);
            }
            return List.of();
        }
        if (!(node instanceof YamlNode.Sequence list)
                || list.items().size() < least
                || list.items().size() > most) {
            wrong(name, expected);
            return List.of();
        }
        List<Item> items = new ArrayList<>();
        for (YamlNode item : list.items()) {
            items.add(new Item(item, at(name) + "[" + items.size() + "]"));
        }
        return items;
    }

    record Item(YamlNode node, String path) {
        int line() {
            return node.line();
        }
    }

    /** Adds an error about the value of a field of this mapping. */
    void wrong(String name, String expected) {
        YamlNode node = present(name);
        errors.add(new ConfigError(lineOf(name), at(name), node == null ? "nothing" : node.shown(), expected));
    }

    void wrong(String name, String found, String expected) {
        errors.add(new ConfigError(lineOf(name), at(name), found, expected));
    }

    /** Adds an error for each field that no one asked for, with the nearest known name. */
    @Override
    public void close() {
        if (mapping == null) {
            return;
        }
        for (Map.Entry<String, YamlNode.Entry> entry : mapping.entries().entrySet()) {
            if (errors.size() >= ConfigJudge.MOST_ERRORS) {
                return;
            }
            if (!known.contains(entry.getKey())) {
                String key = entry.getKey();
                String cut = key.length() > MAX_TEXT_LENGTH ? key.substring(0, MAX_TEXT_LENGTH) + "…" : key;
                errors.add(new ConfigError(entry.getValue().line(), at(cut), "the unknown field " + cut, nearest(key)));
            }
        }
    }

    private String nearest(String unknown) {
        // A long name cannot be a slip of the finger, and its distance would be costly.
        if (unknown.length() <= 64) {
            String best = known.stream()
                    .min(Comparator.comparingInt(name -> distance(lower(name), lower(unknown))))
                    .orElse("");
            if (!best.isEmpty() && distance(lower(best), lower(unknown)) <= NEAR) {
                return best;
            }
        }
        return known.isEmpty() ? "no field" : "one of " + String.join(", ", known);
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    /** Levenshtein's distance. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int above = row[j];
                int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(Math.min(above, row[j - 1]) + 1, change);
                diagonal = above;
            }
        }
        return row[b.length()];
    }

    static String shown(Duration duration) {
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + "s" : duration.toMillis() + "ms";
    }

    private static @Nullable Duration parseDuration(String text) {
        Matcher m = DURATION.matcher(text);
        if (text.isEmpty() || !m.matches()) {
            return null;
        }
        return Duration.ofHours(part(m, 1))
                .plusMinutes(part(m, 2))
                .plusSeconds(part(m, 3))
                .plusMillis(part(m, 4));
    }

    private static long part(Matcher m, int group) {
        String digits = m.group(group);
        return digits == null ? 0 : Long.parseLong(digits);
    }

    private @Nullable String scalar(String name, String expected) {
        YamlNode node = present(name);
        if (node == null) {
            missing(name, expected);
            return null;
        }
        if (node instanceof YamlNode.Scalar s) {
            return s.text();
        }
        wrong(name, expected);
        return null;
    }

    private void missing(String name, String expected) {
        // Where the mapping itself is missing, that alone is said.
        if (mapping != null) {
            errors.add(new ConfigError(lineOf(name), at(name), "nothing", expected));
        }
    }

    private boolean readable(String name) {
        return present(name) != null;
    }

    private @Nullable YamlNode present(String name) {
        known.add(name);
        YamlNode.Entry entry = mapping == null ? null : mapping.entries().get(name);
        return entry == null || (entry.value() instanceof YamlNode.Scalar s && s.isNull()) ? null : entry.value();
    }

    private int lineOf(String name) {
        YamlNode.Entry entry = mapping == null ? null : mapping.entries().get(name);
        return entry == null ? line : entry.line();
    }

    private String at(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }
}
