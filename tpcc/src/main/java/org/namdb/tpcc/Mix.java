package org.namdb.tpcc;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.namdb.workload.InvalidOptionException;

/// How many of a hundred transactions are of each type.
///
/// @param percents one share for each type, in the order of [TransactionType]
public record Mix(List<Integer> percents) {
    /// The smallest shares that clause 5.2.3 allows, the remaining ones new orders, as text.
    static final String STANDARD_TEXT = "45,43,4,4,4";

    /// That mix.
    public static final Mix STANDARD = parse(STANDARD_TEXT);

    public Mix {
        percents = List.copyOf(percents);
        String text = text(percents);
        if (percents.size() != TransactionType.COUNT || percents.stream().anyMatch(p -> p < 0)) {
            throw new InvalidOptionException(wrong(text));
        }
        int sum = percents.stream().mapToInt(Integer::intValue).sum();
        if (sum != 100) {
            throw new InvalidOptionException(
                    "a mix must add up to 100, but " + text + " adds up to " + sum);
        }
    }

    /// Reads a mix as in `45,43,4,4,4`.
    ///
    /// @throws InvalidOptionException if it isn't one
    public static Mix parse(String text) {
        try {
            return new Mix(
                    Arrays.stream(text.split(",", -1))
                            .map(String::strip)
                            .map(Integer::valueOf)
                            .toList());
        } catch (NumberFormatException e) {
            throw new InvalidOptionException(wrong(text));
        }
    }

    /// The share of a type, in percent.
    public int percent(TransactionType type) {
        return percents.get(type.index());
    }

    private static String wrong(String text) {
        return "a mix is five percentages (NewOrder,Payment,OrderStatus,Delivery,StockLevel) as in "
                + STANDARD_TEXT
                + ", not '"
                + text
                + "'";
    }

    private static String text(List<Integer> percents) {
        return percents.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    @Override
    public String toString() {
        return text(percents);
    }
}
