package org.namdb.compute.read;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;

/// Java's own classes for the numbers that columns hold.
final class ColumnValues {
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final int NANOS_PER_MICRO = 1_000;

    private ColumnValues() {}

    /// @throws IllegalArgumentException if the column's type is none of these
    static void requireKind(Column column, ColumnType.Kind... kinds) {
        if (!Arrays.asList(kinds).contains(column.type().kind())) {
            throw new IllegalArgumentException(
                    "column "
                            + column.name()
                            + " is "
                            + column.type().kind()
                            + ", not "
                            + kinds[0]);
        }
    }

    static BigDecimal decimal(Column column, long unscaled) {
        return BigDecimal.valueOf(unscaled, column.type().scale());
    }

    /// @throws IllegalArgumentException if the value has more digits behind the point than the type
    static long unscaled(Column column, BigDecimal value) {
        try {
            return value.setScale(column.type().scale(), RoundingMode.UNNECESSARY)
                    .unscaledValue()
                    .longValueExact();
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "column %s is DECIMAL(%d,%d), which can't hold %s exactly"
                            .formatted(
                                    column.name(),
                                    column.type().length(),
                                    column.type().scale(),
                                    value),
                    e);
        }
    }

    static LocalDate date(long days) {
        return LocalDate.ofEpochDay(days);
    }

    static LocalDateTime dateTime(long micros) {
        return LocalDateTime.ofEpochSecond(
                Math.floorDiv(micros, MICROS_PER_SECOND),
                (int) Math.floorMod(micros, MICROS_PER_SECOND) * NANOS_PER_MICRO,
                ZoneOffset.UTC);
    }

    /// Microseconds since 1970; what is shorter is dropped.
    ///
    /// @throws IllegalArgumentException if it is too long ago, or too far ahead
    static long micros(Column column, LocalDateTime value) {
        try {
            return ChronoUnit.MICROS.between(
                    LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC),
                    value.truncatedTo(ChronoUnit.MICROS));
        } catch (ArithmeticException | DateTimeException e) {
            throw new IllegalArgumentException(
                    "column " + column.name() + " can't hold " + value, e);
        }
    }
}
