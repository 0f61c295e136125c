package org.namdb.sql.engine.expression;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/// Finds what a user may have meant by a name that is not known.
public final class NearestName {
    private static final int MAX_EDITS = 3;

    private NearestName() {}

    /// A hint with the nearest of the known names; null if none is near.
    public static @Nullable String hint(String name, Collection<String> known) {
        String nearest = null;
        int least = Math.min(MAX_EDITS, Math.max(1, name.length() / 2)) + 1;
        for (String candidate : known) {
            int edits = edits(name, candidate);
            if (edits < least) {
                least = edits;
                nearest = candidate;
            }
        }
        return nearest == null ? null : "Perhaps you meant \"" + nearest + "\".";
    }

    /// How many characters must be inserted, deleted or changed.
    private static int edits(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int change = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(change, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[to.length()];
    }
}
