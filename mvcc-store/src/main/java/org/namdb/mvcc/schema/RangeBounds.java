package org.namdb.mvcc.schema;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Where the ranges begin into which the entries of an index are divided.
///
/// @param least the least entries of all ranges but the first one, in order
/// @param shares which share of the entries each range is expected to have: one more
@SuppressWarnings("ArrayRecordComponent") // never compared
public record RangeBounds(List<long[]> least, double[] shares) {
    /// The bounds of an index's definition.
    ///
    /// @param parts how many ranges there are
    /// @param words how many an entry has
    /// @param further words behind those of an entry, which separators have
    /// @return null if the index is not partitioned by range, or has no bounds of so many ranges
    public static @Nullable RangeBounds of(
            IndexDefinition definition, int parts, int words, int further) {
        if (!definition.isByRange() || parts == 1) {
            return null;
        }
        List<long[]> bounds = definition.bounds();
        boolean fit =
                bounds.size() == parts - 1
                        && bounds.stream().allMatch(bound -> bound.length == words);
        return fit
                ? new RangeBounds(
                        bounds.stream()
                                .map(bound -> Arrays.copyOf(bound, words + further))
                                .toList(),
                        shares(weights(definition, parts)))
                : null;
    }

    /// The least entries of all ranges but the first one, so that these have the shares of the
    /// entries that an index's definition wants.
    ///
    /// @param sample some of the entries, each as likely, in order
    /// @param parts how many ranges there are
    /// @return none of an empty sample
    public static List<long[]> divide(List<long[]> sample, IndexDefinition definition, int parts) {
        List<long[]> bounds = new ArrayList<>();
        double below = 0;
        double[] shares = shares(weights(definition, parts));
        for (int part = 0; part < parts - 1 && !sample.isEmpty(); part++) {
            below += shares[part];
            int at = (int) Math.round(below * sample.size());
            bounds.add(sample.get(Math.min(at, sample.size() - 1)).clone());
        }
        return bounds;
    }

    private static List<Integer> weights(IndexDefinition definition, int parts) {
        List<Integer> weights = definition.shares();
        return weights.size() == parts ? weights : Collections.nCopies(parts, 1);
    }

    private static double[] shares(List<Integer> weights) {
        double sum = weights.stream().mapToLong(Integer::longValue).sum();
        return weights.stream().mapToDouble(weight -> weight / sum).toArray();
    }
}
