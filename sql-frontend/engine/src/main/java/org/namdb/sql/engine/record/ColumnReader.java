package org.namdb.sql.engine.record;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.read.Row;
import org.namdb.mvcc.schema.Column;
import org.namdb.sql.engine.catalog.StoredTypes;
import org.namdb.sql.language.type.ByteString;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextParser;

/// Reads one column of rows as values of SQL. Shared by all threads.
abstract class ColumnReader {
    private static final long MICROS = 1_000_000;

    final Column column;

    private ColumnReader(Column column) {
        this.column = column;
    }

    /// The value; null for NULL.
    ///
    /// @param scratch memory for the bytes of a text
    final @Nullable Object read(Row row, byte[] scratch) {
        return column.nullBit() >= 0 && row.isNull(column) ? null : value(row, scratch);
    }

    abstract Object value(Row row, byte[] scratch);

    static ColumnReader of(Column stored, SqlType type) {
        return switch (type.kind()) {
            case SMALLINT, INTEGER, BIGINT -> new Integers(stored);
            case DECIMAL -> new Decimals(stored);
            case BOOLEAN -> new Booleans(stored);
            case REAL -> new Reals(stored);
            case DOUBLE -> new Doubles(stored);
            case CHAR -> new Characters(stored);
            case VARCHAR, TEXT -> isLong(stored, type) ? new LongTexts(stored) : new Texts(stored);
            case DATE -> new Dates(stored);
            case TIME -> new Times(stored);
            case TIMESTAMP -> new Timestamps(stored);
            case TIMESTAMPTZ -> new Moments(stored);
            case BYTEA -> isLong(stored, type) ? new LongBytes(stored) : new Bytes(stored);
            case UUID -> new Uuids(stored);
            case ARRAY -> new Arrays(stored, type);
            case INTERVAL, UNKNOWN ->
                    throw new IllegalArgumentException("no column has the type " + type);
        };
    }

    /// A key has no long values.
    static boolean isLong(Column stored, SqlType type) {
        return StoredTypes.isLong(type)
                && !stored.inKey()
                && stored.type().length() == StoredTypes.TEXT_BYTES;
    }

    /// The value that all of its bytes mean, of a column that may have long values.
    Object whole(byte[] bytes, int length) {
        throw new IllegalStateException("no long values are in " + column);
    }

    /// Texts, byte strings and arrays, or [LongValue]s.
    private abstract static class Cut extends ColumnReader {
        Cut(Column column) {
            super(column);
        }

        @Override
        Object value(Row row, byte[] scratch) {
            int length = row.copyBytes(column, scratch, 0);
            LongValue reference = LongValue.read(scratch, length);
            return reference == null ? whole(scratch, length) : reference;
        }
    }

    private static final class LongTexts extends Cut {
        LongTexts(Column column) {
            super(column);
        }

        @Override
        Object whole(byte[] bytes, int length) {
            return new String(bytes, 0, length, StandardCharsets.UTF_8);
        }
    }

    private static final class LongBytes extends Cut {
        LongBytes(Column column) {
            super(column);
        }

        @Override
        Object whole(byte[] bytes, int length) {
            return ByteString.of(bytes, 0, length);
        }
    }

    private static final class Arrays extends Cut {
        private final SqlType type;

        Arrays(Column column, SqlType type) {
            super(column);
            this.type = type;
        }

        @Override
        Object whole(byte[] bytes, int length) {
            return TextParser.parse(new String(bytes, 0, length, StandardCharsets.UTF_8), type);
        }
    }

    private static final class Integers extends ColumnReader {
        Integers(Column column) {
            super(column);
        }

        @Override
        Object value(Row row, byte[] scratch) {
            return row.int64(column);
        }
    }

    private static final class Decimals extends ColumnReader {
        Decimals(Column column) {
            super(column);
        }

        @Override
        Object value(Row row, byte[] scratch) {
            return BigDecimal.valueOf(row.int64(column), column.type().scale());
        }
    }

    private static final class Booleans extends ColumnReader {
        Booleans(Column column) {
            super(column);
        }

        @Override
        Object value(Row row, byte[] scratch) {
            return row.int64(column) != 0;
        }
    }

    private static final class Reals extends ColumnReader {
        Reals(Column column) {
            super(column);
        }

        @Override
        Object value(Row row, byte[] scratch) {
            return (float) row.float64(column);
        }
    }

    private static final class Doubles extends ColumnReader {
        Doubles(Column column) {
            super(column);
        }

        @Override
        Object value(Row row, byte[] scratch) {
            return row.float64(column);
        }
    }

    private static final class Texts extends ColumnReader {
        Texts(Column column) {
            super(column);
        }

        @Override
        Object value(Row row, byte[] scratch) {
            int length = row.copyBytes(column, scratch, 0);
            return new String(scratch, 0, length, StandardCharsets.UTF_8);
        }
    }

    /// Without the blanks it is padded with, whatever has written them.
    private static final class Characters extends ColumnReader {
        Characters(Column column) {
            super(column);
        }

        @Override
        Object value(Row row, byte[] scratch) {
            int length = row.copyBytes(column, scratch, 0);
            while (length > 0 && scratch[length - 1] == ' ') {
                length--;
            }
            return new String(scratch, 0, length, StandardCharsets.UTF_8);
        }
    }

    private static final class Bytes extends ColumnReader {
        Bytes(Column column) {
            super(column);
        }

        @Override
        Object value(Row row, byte[] scratch) {
            return ByteString.of(scratch, 0, row.copyBytes(column, scratch, 0));
        }
    }

    private static final class Dates extends ColumnReader {
        Dates(Column column) {
            super(column);
        }

        @Override
        Object value(Row row, byte[] scratch) {
            return LocalDate.ofEpochDay(row.int64(column));
        }
    }

    private static final class Times extends ColumnReader {
        Times(Column column) {
            super(column);
        }

        @Override
        Object value(Row row, byte[] scratch) {
            return LocalTime.ofNanoOfDay(row.int64(column) * 1000);
        }
    }

    private static final class Timestamps extends ColumnReader {
        Timestamps(Column column) {
            super(column);
        }

        @Override
        Object value(Row row, byte[] scratch) {
            long micros = row.int64(column);
            int nanos = (int) Math.floorMod(micros, MICROS) * 1000;
            return LocalDateTime.ofEpochSecond(
                    Math.floorDiv(micros, MICROS), nanos, ZoneOffset.UTC);
        }
    }

    private static final class Moments extends ColumnReader {
        Moments(Column column) {
            super(column);
        }

        @Override
        Object value(Row row, byte[] scratch) {
            long micros = row.int64(column);
            return Instant.ofEpochSecond(
                    Math.floorDiv(micros, MICROS), Math.floorMod(micros, MICROS) * 1000);
        }
    }

    private static final class Uuids extends ColumnReader {
        Uuids(Column column) {
            super(column);
        }

        @Override
        Object value(Row row, byte[] scratch) {
            return new UUID(row.uuidHigh(column), row.uuidLow(column));
        }
    }
}
