package org.namdb.tpcc.input;

import java.nio.charset.StandardCharsets;

/// The thousand last names of clause 4.3.2.3: a syllable for each digit of a number.
public final class LastNames {
    /// The longest name, in bytes.
    public static final int MAX_BYTES = 16;

    private static final String[] SYLLABLES = {
        "BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"
    };
    private static final byte[][] NAMES = new byte[1_000][];

    static {
        for (int number = 0; number < NAMES.length; number++) {
            String name =
                    SYLLABLES[number / 100] + SYLLABLES[number / 10 % 10] + SYLLABLES[number % 10];
            NAMES[number] = name.getBytes(StandardCharsets.US_ASCII);
        }
    }

    private LastNames() {}

    /// The name of a number from 0 to 999, in ASCII; the caller does not change it.
    public static byte[] ascii(int number) {
        return NAMES[number];
    }
}
