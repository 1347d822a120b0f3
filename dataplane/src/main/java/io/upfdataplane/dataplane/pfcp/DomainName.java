package io.upfdataplane.dataplane.pfcp;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Names that come as DNS labels or as text, depending on the sender (TS 29.244 §8.2.4; both are in the field). Stateless.
 */
final class DomainName {
    private static final int LONGEST_LABEL = 63;

    private DomainName() {}

    /** The name in lower case with dots, or null when it is neither labels that fill the field nor printable text. */
    static @Nullable String read(byte[] field) {
        String labels = labels(field);
        if (labels != null) {
            return labels.toLowerCase(Locale.ROOT);
        }
        for (byte b : field) {
            if (!isPrintable(b)) {
                return null;
            }
        }
        return new String(field, StandardCharsets.US_ASCII).toLowerCase(Locale.ROOT);
    }

    private static @Nullable String labels(byte[] field) {
        StringBuilder name = new StringBuilder(field.length);
        int at = 0;
        while (at < field.length) {
            int length = field[at++] & 0xff;
            if (length == 0 && at == field.length && at > 1) {
                break; // the root label may be spelt out
            }
            if (length == 0 || length > LONGEST_LABEL || length > field.length - at) {
                return null;
            }
            if (name.length() > 0) {
                name.append('.');
            }
            for (int i = 0; i < length; i++) {
                if (!isPrintable(field[at + i])) {
                    return null;
                }
                name.append((char) field[at + i]);
            }
            at += length;
        }
        return name.toString();
    }

    private static boolean isPrintable(byte b) {
        return b > 0x20 && b < 0x7f;
    }
}
