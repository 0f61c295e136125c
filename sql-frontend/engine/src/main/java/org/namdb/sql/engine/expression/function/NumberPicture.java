package org.namdb.sql.engine.expression.function;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// A number in the form of a picture: `9` a digit, `0` a digit or zero, `.` or `D` the point, `,`
/// or `G` a separator, `FM` without blanks, `S` the sign, `MI` a minus or blank, `PR` negative
/// numbers in angle brackets, `L` and `$` literally. Other patterns are an error.
final class NumberPicture {
    private final StringBuilder whole = new StringBuilder();
    private final StringBuilder fraction = new StringBuilder();
    private boolean fills = true;
    private boolean hasPoint;
    private boolean hasBrackets;
    private boolean hasMinus;
    private boolean isMinusFirst;
    private boolean hasSign;
    private boolean isSignFirst;

    private NumberPicture(String picture) {
        String upper = picture.toUpperCase(Locale.ROOT);
        int i = 0;
        while (i < upper.length()) {
            i += element(upper, picture, i);
        }
    }

    static String format(String picture, BigDecimal value) {
        return new NumberPicture(picture).apply(value);
    }

    /// Reads one element, and gives its length.
    private int element(String upper, String picture, int at) {
        if (upper.startsWith("FM", at)) {
            fills = false;
            return 2;
        }
        if (upper.startsWith("PR", at)) {
            hasBrackets = true;
            return 2;
        }
        if (upper.startsWith("MI", at)) {
            hasMinus = true;
            isMinusFirst = whole.isEmpty();
            return 2;
        }
        char c = upper.charAt(at);
        switch (c) {
            case '9', '0' -> (hasPoint ? fraction : whole).append(c);
            case ',', 'G' -> whole.append(',');
            case '.', 'D' -> {
                if (hasPoint) {
                    throw new SqlException(SqlState.SYNTAX_ERROR, "multiple decimal points");
                }
                hasPoint = true;
            }
            case 'S' -> {
                hasSign = true;
                isSignFirst = whole.isEmpty() && !hasPoint;
            }
            case ' ', '$', '-', '%', '(', ')', '/', ':' ->
                    (hasPoint ? fraction : whole).append(picture.charAt(at));
            default -> throw unsupported("the pattern \"" + picture + "\"");
        }
        return 1;
    }

    static SqlException unsupported(String what) {
        return new SqlException(
                SqlState.FEATURE_NOT_SUPPORTED, what + " is not supported by to_char");
    }

    private String apply(BigDecimal value) {
        int places = count(fraction);
        BigDecimal rounded = value.setScale(places, RoundingMode.HALF_UP);
        boolean isNegative = value.signum() < 0 && (rounded.signum() != 0 || !hasSign);
        isNegative &= rounded.signum() != 0;
        String digits = rounded.abs().toPlainString();
        int point = digits.indexOf('.');
        String wholeDigits = point < 0 ? digits : digits.substring(0, point);
        String fractionDigits = point < 0 ? "" : digits.substring(point + 1);
        boolean isBelowOne = wholeDigits.equals("0");
        int capacity = count(whole);
        if (!isBelowOne && wholeDigits.length() > capacity) {
            wholeDigits = "#".repeat(capacity);
            fractionDigits = "#".repeat(places);
        } else if (isBelowOne) {
            wholeDigits = "";
        }
        boolean showsZero = isBelowOne && (places == 0 || (!fills && rounded.signum() == 0));
        String body = wholePart(wholeDigits, showsZero);
        if (hasPoint) {
            body += "." + fractionPart(fractionDigits);
        }
        return signed(body, isNegative);
    }

    private static int count(StringBuilder picture) {
        return (int) picture.chars().filter(c -> c == '9' || c == '0').count();
    }

    private String wholePart(String digits, boolean showsZero) {
        int capacity = count(whole);
        int firstZero = capacity;
        int place = 0;
        for (int i = 0; i < whole.length(); i++) {
            char c = whole.charAt(i);
            if (c == '0') {
                firstZero = Math.min(firstZero, place);
            }
            place += c == '9' || c == '0' ? 1 : 0;
        }
        StringBuilder out = new StringBuilder();
        place = 0;
        boolean hasDigit = false;
        for (int i = 0; i < whole.length(); i++) {
            char c = whole.charAt(i);
            if (c != '9' && c != '0') {
                boolean isShown = c != ',' || hasDigit;
                if (isShown) {
                    out.append(c);
                } else if (fills) {
                    out.append(' ');
                }
                continue;
            }
            int index = digits.length() - (capacity - place);
            boolean isLast = place == capacity - 1;
            if (index >= 0) {
                out.append(digits.charAt(index));
                hasDigit = true;
            } else if (place >= firstZero || (isLast && showsZero)) {
                out.append('0');
                hasDigit = true;
            } else if (fills) {
                out.append(' ');
            }
            place++;
        }
        return out.toString();
    }

    private String fractionPart(String digits) {
        StringBuilder out = new StringBuilder();
        int place = 0;
        int lastZero = 0;
        for (int i = 0; i < fraction.length(); i++) {
            char c = fraction.charAt(i);
            boolean isDigit = c == '9' || c == '0';
            out.append(isDigit ? digits.charAt(place++) : c);
            lastZero = c == '0' ? out.length() : lastZero;
        }
        while (!fills && out.length() > lastZero && out.charAt(out.length() - 1) == '0') {
            out.setLength(out.length() - 1);
        }
        return out.toString();
    }

    private String signed(String body, boolean isNegative) {
        if (hasBrackets) {
            return bracketed(body, isNegative);
        }
        if (hasMinus) {
            String sign = isNegative ? "-" : fills ? " " : "";
            return isMinusFirst ? sign + body : body + sign;
        }
        if (hasSign && !isSignFirst) {
            return body + (isNegative ? "-" : "+");
        }
        String sign = isNegative ? "-" : hasSign ? "+" : fills ? " " : "";
        int start = 0;
        while (start < body.length() && body.charAt(start) == ' ') {
            start++;
        }
        return body.substring(0, start) + sign + body.substring(start);
    }

    private String bracketed(String body, boolean isNegative) {
        if (!isNegative) {
            return fills ? " " + body + " " : body;
        }
        int start = 0;
        while (start < body.length() && body.charAt(start) == ' ') {
            start++;
        }
        return body.substring(0, start) + "<" + body.substring(start) + ">";
    }
}
