package org.namdb.ycsb;

import org.namdb.workload.InvalidOptionException;

/// Which records are read.
///
/// @param kind by what
/// @param theta the skew of a Zipfian distribution, over 0 and below 1; 0 for a uniform one
public record Requests(Kind kind, double theta) {
    /// By what records are more or less popular.
    public enum Kind {
        /// Some, wherever they lie.
        ZIPFIAN,
        /// Those that were inserted last.
        LATEST,
        /// None.
        UNIFORM
    }

    /// YCSB's skew.
    private static final double THETA = 0.99;

    private static final String ZIPF = "zipf:";

    public static final Requests ZIPFIAN = new Requests(Kind.ZIPFIAN, THETA);
    public static final Requests LATEST = new Requests(Kind.LATEST, THETA);
    public static final Requests UNIFORM = new Requests(Kind.UNIFORM, 0);

    /// Reads a distribution as in `zipf:0.99`, `latest` or `uniform`.
    ///
    /// @throws InvalidOptionException if it isn't one
    static Requests parse(String text) {
        return switch (text) {
            case "latest" -> LATEST;
            case "uniform" -> UNIFORM;
            default -> zipfian(text);
        };
    }

    private static Requests zipfian(String text) {
        try {
            if (text.startsWith(ZIPF)) {
                double theta = Double.parseDouble(text.substring(ZIPF.length()));
                if (theta > 0 && theta < 1) {
                    return new Requests(Kind.ZIPFIAN, theta);
                }
                throw new InvalidOptionException(
                        "a Zipfian skew must be over 0 and below 1, not " + theta);
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new InvalidOptionException(
                "requests are zipf:THETA as in zipf:0.99, latest or uniform, not '" + text + "'");
    }

    @Override
    public String toString() {
        return switch (kind) {
            case ZIPFIAN -> ZIPF + theta;
            case LATEST -> "latest";
            case UNIFORM -> "uniform";
        };
    }
}
