package org.namdb.sql.language.type;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.TypeName;
import org.namdb.sql.language.type.SqlType.Kind;

/// What holds for random values of all types.
class ValuesTest {
    private static final int ROUNDS = 2000;

    private static final SqlType[] TYPES = {
        SqlType.BOOLEAN,
        SqlType.SMALLINT,
        SqlType.INTEGER,
        SqlType.BIGINT,
        SqlType.DECIMAL,
        SqlType.REAL,
        SqlType.DOUBLE,
        SqlType.character(5),
        SqlType.arrayOf(SqlType.TEXT),
        SqlType.VARCHAR,
        SqlType.TEXT,
        SqlType.DATE,
        SqlType.TIME,
        SqlType.TIMESTAMP,
        SqlType.TIMESTAMPTZ,
        SqlType.INTERVAL,
        SqlType.BYTEA,
        SqlType.UUID
    };

    @Test
    void theTextOfAValueIsReadAsTheValue() {
        Random random = new Random(Seeds.next());
        for (SqlType type : TYPES) {
            for (int i = 0; i < ROUNDS; i++) {
                Object value = value(type.kind(), random);
                String text = TextFormat.format(value, type);
                assertThat(TextParser.parse(text, type)).as(type + " " + text).isEqualTo(value);
            }
        }
    }

    /// A clock that is put back shows an hour twice, but with another offset.
    @Test
    void aMomentHasItsTextInEveryZone() {
        Random random = new Random(Seeds.next());
        List<String> zones = ZoneId.getAvailableZoneIds().stream().sorted().toList();
        for (int i = 0; i < ROUNDS; i++) {
            ZoneId zone = ZoneId.of(zones.get(random.nextInt(zones.size())));
            Object moment = value(Kind.TIMESTAMPTZ, random);
            String text = TextFormat.format(moment, SqlType.TIMESTAMPTZ, zone);
            assertThat(TextParser.parse(text, SqlType.TIMESTAMPTZ))
                    .as(zone + " " + text)
                    .isEqualTo(moment);
            assertThat(TextParser.isZoned(text, SqlType.TIMESTAMPTZ)).isFalse();
        }
    }

    @Test
    void theOrderIsTotalAndEqualValuesHaveEqualKeys() {
        Random random = new Random(Seeds.next());
        for (SqlType type : TYPES) {
            ValueOrder order = ValueOrder.of(type);
            for (int i = 0; i < ROUNDS; i++) {
                Object a = value(type.kind(), random);
                Object b = value(type.kind(), random);
                Object c = value(type.kind(), random);
                int ab = Integer.signum(order.compare(a, b));
                assertThat(Integer.signum(order.compare(b, a))).isEqualTo(-ab);
                assertThat(order.key(a).equals(order.key(b))).isEqualTo(ab == 0);
                assertThat(order.isEqual(a, a)).isTrue();
                if (ab <= 0 && order.compare(b, c) <= 0) {
                    assertThat(order.compare(a, c)).isLessThanOrEqualTo(0);
                }
            }
        }
    }

    @Test
    void textsAreOrderedAsTheirBytes() {
        Random random = new Random(Seeds.next());
        for (int i = 0; i < ROUNDS; i++) {
            String a = text(random);
            String b = text(random);
            int bytes =
                    Arrays.compareUnsigned(
                            a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
            assertThat(Integer.signum(ValueOrder.STRING.compare(a, b)))
                    .isEqualTo(Integer.signum(bytes));
        }
    }

    @Test
    void specialValuesHaveTheirPlaces() {
        assertThat(ValueOrder.DECIMAL.isEqual(new BigDecimal("1.0"), new BigDecimal("1.00")))
                .isTrue();
        assertThat(ValueOrder.DECIMAL.hash(new BigDecimal("0.00")))
                .isEqualTo(ValueOrder.DECIMAL.hash(BigDecimal.ZERO));
        assertThat(ValueOrder.DOUBLE.compare(Double.NaN, Double.POSITIVE_INFINITY)).isPositive();
        assertThat(ValueOrder.DOUBLE.key(-0.0)).isEqualTo(0.0);
        assertThat(ValueOrder.BLANK_PADDED.isEqual("a", "a  ")).isTrue();
        assertThat(ValueOrder.UUID.compare(new UUID(-1, 0), new UUID(1, 0))).isPositive();
        assertThat(
                        ValueOrder.INTERVAL.isEqual(
                                new Interval(1, 0, 0), new Interval(0, 29, 86_400_000_000L)))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "int4 | integer",
                "decimal | numeric",
                "numeric(12,2) | numeric(12,2)",
                "numeric(5) | numeric(5,0)",
                "float(24) | real",
                "float | double precision",
                "char | character(1)",
                "varchar(20) | character varying(20)",
                "timestamp | timestamp without time zone",
                "timestamptz(6) | timestamp with time zone",
                "bytea(10) | bytea(10)",
                "char varying | character varying",
            })
    void typesHaveSynonyms(String name, String shown) {
        assertThat(named(name)).hasToString(shown);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "foo | type \"foo\" does not exist",
                "varchar(0) | length for type varchar must be at least 1",
                "numeric(0) | NUMERIC precision 0 must be between 1 and 1000",
                "numeric(5,6) | NUMERIC scale 6 must be between 0 and precision 5",
                "float(54) | precision for type float must be less than 54 bits",
                "int(5) | type modifier is not allowed for type \"integer\"",
            })
    void typesThatCannotBeAreRefused(String name, String message) {
        assertThatThrownBy(() -> named(name)).hasMessage(message);
    }

    private static SqlType named(String text) {
        int open = text.indexOf('(');
        List<Integer> arguments = new ArrayList<>();
        if (open > 0) {
            for (String argument : text.substring(open + 1, text.length() - 1).split(",", -1)) {
                arguments.add(Integer.valueOf(argument));
            }
        }
        String name = open < 0 ? text : text.substring(0, open);
        return SqlType.named(new TypeName(name, arguments, false, Position.NONE));
    }

    private static Object value(Kind kind, Random random) {
        return switch (kind) {
            case BOOLEAN -> random.nextBoolean();
            case SMALLINT -> (long) (short) random.nextInt();
            case INTEGER -> (long) random.nextInt() >> random.nextInt(32);
            case BIGINT -> random.nextLong() >> random.nextInt(64);
            case DECIMAL ->
                    new BigDecimal(new BigInteger(random.nextInt(120), random), random.nextInt(20));
            case REAL -> notRare(Float.intBitsToFloat(random.nextInt()), random);
            case DOUBLE -> notRare(Double.longBitsToDouble(random.nextLong()), random);
            case CHAR -> text(random).stripTrailing();
            case VARCHAR, TEXT, UNKNOWN -> text(random);
            case DATE -> date(random);
            case TIME -> time(random);
            case TIMESTAMP -> LocalDateTime.of(date(random), time(random));
            case TIMESTAMPTZ ->
                    LocalDateTime.of(date(random), time(random)).toInstant(ZoneOffset.UTC);
            case INTERVAL -> interval(random);
            case BYTEA -> bytes(random);
            case UUID -> new UUID(random.nextLong(), random.nextLong());
            case ARRAY -> array(random);
        };
    }

    /// Of texts, with NULLs.
    private static SqlArray array(Random random) {
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            values.add(random.nextInt(5) == 0 ? null : text(random));
        }
        return new SqlArray(SqlType.TEXT, values);
    }

    /// One NaN, and many equal values.
    private static Object notRare(float value, Random random) {
        return Float.isNaN(value)
                ? Float.NaN
                : random.nextBoolean() ? value : (float) random.nextInt(5);
    }

    private static Object notRare(double value, Random random) {
        return Double.isNaN(value)
                ? Double.NaN
                : random.nextBoolean() ? value : random.nextInt(100) / 10.0;
    }

    private static LocalDate date(Random random) {
        return LocalDate.ofEpochDay(random.nextInt(-1_400_000, 3_000_000));
    }

    private static LocalTime time(Random random) {
        return LocalTime.ofNanoOfDay(random.nextLong(86_400_000_000L) * 1000);
    }

    private static Interval interval(Random random) {
        return new Interval(
                random.nextInt() >> random.nextInt(32),
                random.nextInt() >> random.nextInt(32),
                random.nextLong() >> random.nextInt(1, 64));
    }

    private static ByteString bytes(Random random) {
        byte[] bytes = new byte[random.nextInt(10)];
        random.nextBytes(bytes);
        return ByteString.of(bytes);
    }

    private static String text(Random random) {
        int[] characters = {'a', 'b', 'z', 0xE9, 0x20AC, 0xFFFD, 0xE000, 0x1F600, 0x10FFFF};
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(5); i > 0; i--) {
            text.appendCodePoint(characters[random.nextInt(characters.length)]);
        }
        return text.toString();
    }
}
