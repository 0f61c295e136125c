package org.namdb.sql.engine.expression;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/// Finds what a user may have meant by a name that is not known.
public final class NearestName {
    private static final int MAX_EDITS = 3;

    /// How many characters of a name there are for each that may be wrong.
    private static final int LENGTH_PER_EDIT = 3;

    private NearestName() {}

    /// A hint with the nearest of the known names; null if none is near.
    public static @Nullable String hint(String name, Collection<String> known) {
        String nearest = null;
        int least = Math.min(MAX_EDITS, name.length() / LENGTH_PER_EDIT) + 1;
        for (String candidate : known) {
            int edits = edits(name, candidate);
            if (edits < least) {
                least = edits;
                nearest = candidate;
            }
        }
        return nearest == null ? null : "Perhaps you meant \"" + nearest + "\".";
    }

    /// How many characters must be inserted, deleted or changed, or exchanged with the next one.
    private static int edits(String from, String to) {
        int[][] edits = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                edits[i][j] = i == 0 || j == 0 ? i + j : least(edits, from, i, to, j);
            }
        }
        return edits[from.length()][to.length()];
    }

    private static int least(int[][] edits, String from, int i, String to, int j) {
        int changed = edits[i - 1][j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        int least = Math.min(changed, 1 + Math.min(edits[i - 1][j], edits[i][j - 1]));
        boolean isExchanged =
                i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1);
        return isExchanged ? Math.min(least, 1 + edits[i - 2][j - 2]) : least;
    }
}
