package org.namdb.tpcc;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.namdb.workload.InvalidOptionException;

/// How likely each item is to be ordered.
public sealed interface ItemSkew {
    /// As clause 2.4.1.5 has it: NURand(8191, 1, 100000), a mild skew.
    record Standard() implements ItemSkew {
        @Override
        public String toString() {
            return "standard";
        }
    }

    /// Each item as likely as any other (NAM-DB, section 7.4).
    record Uniform() implements ItemSkew {
        @Override
        public String toString() {
            return "uniform";
        }
    }

    /// Item i with a probability proportional to `1 / i^alpha` (NAM-DB, section 7.4: 0.8, 0.9, 1.0
    /// and 2.0).
    ///
    /// @param alpha the exponent, over 0 and at most 10
    record Zipf(double alpha) implements ItemSkew {
        public Zipf {
            if (!(alpha > 0 && alpha <= MAX_ALPHA)) {
                throw new InvalidOptionException(
                        "a Zipf exponent must be over 0 and at most "
                                + MAX_ALPHA
                                + ", not "
                                + alpha);
            }
        }

        private static final int MAX_ALPHA = 10;

        @Override
        public String toString() {
            return "zipf:" + alpha;
        }
    }

    Pattern ZIPF = Pattern.compile("zipf:([0-9]+(\\.[0-9]+)?)");

    /// Reads a skew as in `standard`, `uniform` or `zipf:0.9`.
    ///
    /// @throws InvalidOptionException if it isn't one
    static ItemSkew parse(String text) {
        Matcher zipf = ZIPF.matcher(text);
        if (zipf.matches()) {
            return new Zipf(Double.parseDouble(zipf.group(1)));
        }
        return switch (text) {
            case "standard" -> new Standard();
            case "uniform" -> new Uniform();
            default ->
                    throw new InvalidOptionException(
                            "an item skew is standard, uniform or zipf:ALPHA as in zipf:0.9, not '"
                                    + text
                                    + "'");
        };
    }
}
