package org.namdb.tpcc;

/// Checks that a number is one that its option allows.
final class OptionRange {
    private OptionRange() {}

    /// @throws InvalidOptionException if the value is outside of the range, which includes both
    ///     its ends
    static void check(String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw new InvalidOptionException(
                    option + " must be " + least + " to " + most + ", not " + value);
        }
    }
}
