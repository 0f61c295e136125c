package org.namdb.sql.language.type;

import java.util.function.Predicate;

/// A finite floating-point number as its fewest digits.
///
/// @param digits the digits, the first not 0 unless it is the only one
/// @param exponent the power of ten of the first digit
record FloatText(boolean isNegative, String digits, int exponent) {
    /// From what Java writes, as `1.25E10`. Java keeps two digits even where one would do.
    ///
    /// @param isSame whether a text is read as the same number
    static FloatText of(String java, Predicate<String> isSame) {
        boolean isNegative = java.startsWith("-");
        int mantissaEnd = java.indexOf('E');
        int end = mantissaEnd < 0 ? java.length() : mantissaEnd;
        int start = isNegative ? 1 : 0;
        int point = java.indexOf('.');
        int power = mantissaEnd < 0 ? 0 : Integer.parseInt(java.substring(mantissaEnd + 1));
        String all = java.substring(start, point) + java.substring(point + 1, end);
        int first = 0;
        while (first < all.length() - 1 && all.charAt(first) == '0') {
            first++;
        }
        int last = all.length();
        while (last > first + 1 && all.charAt(last - 1) == '0') {
            last--;
        }
        String digits = all.substring(first, last);
        int exponent = digits.equals("0") ? 0 : power + (point - start) - 1 - first;
        FloatText text = new FloatText(isNegative, digits, exponent);
        return digits.length() == 2 ? text.shortened(isSame) : text;
    }

    private FloatText shortened(Predicate<String> isSame) {
        int tens = digits.charAt(0) - '0';
        int digit = tens + (digits.charAt(1) >= '5' ? 1 : 0);
        FloatText shorter =
                digit == 10
                        ? new FloatText(isNegative, "1", exponent + 1)
                        : new FloatText(isNegative, Integer.toString(digit), exponent);
        return isSame.test(shorter.text(1)) ? shorter : this;
    }

    /// The number as PostgreSQL writes it: with an exponent if it is below -4 or not below
    /// `plainDigits`.
    String text(int plainDigits) {
        StringBuilder out = new StringBuilder(24);
        if (isNegative) {
            out.append('-');
        }
        if (exponent < -4 || exponent >= plainDigits) {
            scientific(out);
        } else if (exponent < 0) {
            out.append("0.").repeat('0', -exponent - 1).append(digits);
        } else if (digits.length() <= exponent + 1) {
            out.append(digits).repeat('0', exponent + 1 - digits.length());
        } else {
            out.append(digits, 0, exponent + 1)
                    .append('.')
                    .append(digits, exponent + 1, digits.length());
        }
        return out.toString();
    }

    private void scientific(StringBuilder out) {
        out.append(digits.charAt(0));
        if (digits.length() > 1) {
            out.append('.').append(digits, 1, digits.length());
        }
        out.append('e').append(exponent < 0 ? '-' : '+');
        TextFormat.twoDigits(out, Math.abs(exponent));
    }
}
