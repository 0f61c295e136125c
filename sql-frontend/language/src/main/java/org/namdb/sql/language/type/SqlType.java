package org.namdb.sql.language.type;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.TypeName;

/// A type of SQL, and the Java class of its values (never null; NULL is null):
///
/// | kind | Java |
/// |---|---|
/// | BOOLEAN | Boolean |
/// | SMALLINT, INTEGER, BIGINT | Long |
/// | DECIMAL | java.math.BigDecimal |
/// | REAL | Float |
/// | DOUBLE | Double |
/// | CHAR, VARCHAR, TEXT, UNKNOWN | String; of CHAR without its padding, unless it is [#BPCHAR] |
/// | DATE, TIME, TIMESTAMP | java.time.LocalDate, LocalTime, LocalDateTime |
/// | TIMESTAMPTZ | java.time.Instant, of whole microseconds |
/// | INTERVAL | [Interval] |
/// | BYTEA | [ByteString] |
/// | UUID | java.util.UUID |
/// | ARRAY | [SqlArray] |
///
/// @param kind what a value is
/// @param length for CHAR and VARCHAR the most characters, for BYTEA the most bytes, for DECIMAL
///     the most digits; 0 if there is no limit
/// @param scale for DECIMAL the digits behind the point
/// @param inBytes whether `length` counts bytes of UTF-8; for BIGINT and TEXT whether it is one of
///     the system's catalog: [#OID], [#JSON], [#VECTOR], [#LETTER], [#OID_VECTOR], told apart by
///     the scale
/// @param refusesRounding for DECIMAL whether a value with more digits behind the point is an
///     error: no one has declared so few
/// @param elementType for ARRAY the type of the elements; else null
public record SqlType(
        Kind kind,
        int length,
        int scale,
        boolean inBytes,
        boolean refusesRounding,
        @Nullable SqlType elementType) {
    /// A type that rounds.
    public SqlType(Kind kind, int length, int scale, boolean inBytes) {
        this(kind, length, scale, inBytes, false, null);
    }

    /// What a value is.
    public enum Kind {
        BOOLEAN,
        SMALLINT,
        INTEGER,
        BIGINT,
        DECIMAL,
        REAL,
        DOUBLE,
        CHAR,
        VARCHAR,
        TEXT,
        DATE,
        TIME,
        TIMESTAMP,
        /// TIMESTAMP WITH TIME ZONE: a moment, which is read and shown in the session's zone.
        TIMESTAMPTZ,
        INTERVAL,
        BYTEA,
        UUID,
        /// Values of another type, of one dimension.
        ARRAY,
        /// Of a string literal, NULL or a parameter, before the context gives it a type.
        UNKNOWN
    }

    public static final SqlType BOOLEAN = of(Kind.BOOLEAN);
    public static final SqlType SMALLINT = of(Kind.SMALLINT);
    public static final SqlType INTEGER = of(Kind.INTEGER);
    public static final SqlType BIGINT = of(Kind.BIGINT);

    /// Of any precision, for values in flight.
    public static final SqlType DECIMAL = of(Kind.DECIMAL);

    public static final SqlType REAL = of(Kind.REAL);
    public static final SqlType DOUBLE = of(Kind.DOUBLE);
    public static final SqlType TEXT = of(Kind.TEXT);
    public static final SqlType DATE = of(Kind.DATE);
    public static final SqlType TIME = of(Kind.TIME);
    public static final SqlType TIMESTAMP = of(Kind.TIMESTAMP);
    public static final SqlType TIMESTAMPTZ = of(Kind.TIMESTAMPTZ);
    public static final SqlType INTERVAL = of(Kind.INTERVAL);
    public static final SqlType BYTEA = of(Kind.BYTEA);
    public static final SqlType UUID = of(Kind.UUID);
    public static final SqlType UNKNOWN = of(Kind.UNKNOWN);

    /// VARCHAR of any length, for values in flight.
    public static final SqlType VARCHAR = of(Kind.VARCHAR);

    /// CHAR of several lengths, as a UNION may give it: the values keep the blanks at their ends,
    /// which don't count all the same.
    public static final SqlType BPCHAR = new SqlType(Kind.CHAR, 0, 0, true);

    /// BIGINT as the numbers in the system's catalog, which clients get in four bytes.
    public static final SqlType OID = new SqlType(Kind.BIGINT, 0, 0, true);

    /// TEXT that clients take for JSON.
    public static final SqlType JSON = new SqlType(Kind.TEXT, 0, 0, true);

    /// TEXT as the `int2vector` of the system's catalog: numbers with blanks between them.
    public static final SqlType VECTOR = new SqlType(Kind.TEXT, 0, 1, true);

    /// TEXT as the `"char"` of the system's catalog, of one letter.
    public static final SqlType LETTER = new SqlType(Kind.TEXT, 0, 2, true);

    /// TEXT as the `oidvector` of the system's catalog: numbers with blanks between them.
    public static final SqlType OID_VECTOR = new SqlType(Kind.TEXT, 0, 3, true);

    /// The most digits of a column of DECIMAL: what a 64-bit unscaled value holds.
    public static final int MAX_COLUMN_DIGITS = 18;

    /// The most characters or bytes that may be written behind a string type.
    public static final int MAX_LENGTH = 10_485_760;

    /// CHAR(n): n characters, blanks at the end not counting.
    public static SqlType character(int length) {
        return new SqlType(Kind.CHAR, length, 0, false);
    }

    /// VARCHAR(n): at most n characters.
    public static SqlType varchar(int length) {
        return new SqlType(Kind.VARCHAR, length, 0, false);
    }

    /// VARCHAR(n BYTES): at most n bytes of UTF-8.
    public static SqlType varcharBytes(int bytes) {
        return new SqlType(Kind.VARCHAR, bytes, 0, true);
    }

    /// DECIMAL(precision, scale).
    public static SqlType decimal(int precision, int scale) {
        return new SqlType(Kind.DECIMAL, precision, scale, false);
    }

    /// What a column of DECIMAL gets that is declared without a precision.
    public static SqlType undeclaredDecimal(int precision, int scale) {
        return new SqlType(Kind.DECIMAL, precision, scale, false, true, null);
    }

    /// BYTEA(n): at most n bytes.
    public static SqlType bytea(int bytes) {
        return new SqlType(Kind.BYTEA, bytes, 0, true);
    }

    /// An array of values of a type.
    public static SqlType arrayOf(SqlType element) {
        return new SqlType(Kind.ARRAY, 0, 0, false, false, element);
    }

    /// The type of an array's elements.
    ///
    /// @throws NullPointerException if the type is no array
    public SqlType element() {
        return Objects.requireNonNull(elementType, "no array");
    }

    /// Whether values are arrays.
    public boolean isArray() {
        return kind == Kind.ARRAY;
    }

    /// The type that a name means, with all synonyms.
    ///
    /// @throws org.namdb.sql.language.error.SqlException 42704 if there is none of this name, 22023
    ///     for a length that can't be, with the name's position
    public static SqlType named(TypeName name) {
        return TypeNames.resolve(name);
    }

    /// SMALLINT, INTEGER or BIGINT.
    public boolean isInteger() {
        return kind == Kind.SMALLINT || kind == Kind.INTEGER || kind == Kind.BIGINT;
    }

    /// An integer, DECIMAL, REAL or DOUBLE.
    public boolean isNumeric() {
        return category() == Category.NUMERIC;
    }

    /// REAL or DOUBLE.
    public boolean isFloat() {
        return kind == Kind.REAL || kind == Kind.DOUBLE;
    }

    /// CHAR, VARCHAR or TEXT.
    public boolean isString() {
        return category() == Category.STRING;
    }

    /// Whether values are vectors of the system's catalog: [#VECTOR] or [#OID_VECTOR].
    public boolean isVector() {
        return equals(VECTOR) || equals(OID_VECTOR);
    }

    /// The type of the arrays with a vector's elements.
    public SqlType arrayOfVector() {
        return arrayOf(equals(VECTOR) ? SMALLINT : OID);
    }

    /// Whether the context has yet to give it a type.
    public boolean isUnknown() {
        return kind == Kind.UNKNOWN;
    }

    /// Of what is TEXT here, by the scale.
    private static final List<String> CATALOG_NAMES =
            List.of("json", "int2vector", "\"char\"", "oidvector");

    /// Groups of types between which values are converted implicitly.
    public enum Category {
        BOOLEAN,
        NUMERIC,
        STRING,
        DATETIME,
        INTERVAL,
        OTHER,
        UNKNOWN
    }

    /// The group of the type.
    public Category category() {
        return switch (kind) {
            case BOOLEAN -> Category.BOOLEAN;
            case SMALLINT, INTEGER, BIGINT, DECIMAL, REAL, DOUBLE -> Category.NUMERIC;
            case CHAR, VARCHAR, TEXT -> Category.STRING;
            case DATE, TIME, TIMESTAMP, TIMESTAMPTZ -> Category.DATETIME;
            case INTERVAL -> Category.INTERVAL;
            case BYTEA, UUID, ARRAY -> Category.OTHER;
            case UNKNOWN -> Category.UNKNOWN;
        };
    }

    /// The type without length and scale.
    public SqlType unbounded() {
        if (elementType != null) {
            return arrayOf(elementType.unbounded());
        }
        boolean isOfCatalog = kind == Kind.BIGINT || kind == Kind.TEXT;
        return length == 0 && (isOfCatalog || scale == 0 && !inBytes) ? this : of(kind);
    }

    /// The type of a column for such values: BIGINT for OID, TEXT for JSON.
    public SqlType ofColumn() {
        if (elementType != null) {
            return arrayOf(elementType.ofColumn());
        }
        return kind == Kind.BIGINT || kind == Kind.TEXT ? of(kind) : this;
    }

    /// The type's name without length, as messages show it: `character varying`.
    public String name() {
        return switch (kind) {
            case BOOLEAN -> "boolean";
            case SMALLINT -> "smallint";
            case INTEGER -> "integer";
            case BIGINT -> inBytes ? "oid" : "bigint";
            case DECIMAL -> "numeric";
            case REAL -> "real";
            case DOUBLE -> "double precision";
            case CHAR -> "character";
            case VARCHAR -> "character varying";
            case TEXT -> inBytes ? CATALOG_NAMES.get(scale) : "text";
            case DATE -> "date";
            case TIME -> "time without time zone";
            case TIMESTAMP -> "timestamp without time zone";
            case TIMESTAMPTZ -> "timestamp with time zone";
            case INTERVAL -> "interval";
            case BYTEA -> "bytea";
            case UUID -> "uuid";
            case ARRAY -> element().name() + "[]";
            case UNKNOWN -> "unknown";
        };
    }

    /// The type as PostgreSQL's `format_type` shows it: `character varying(20)`, `numeric(12,2)`.
    @Override
    public String toString() {
        if (elementType != null) {
            return elementType + "[]";
        }
        if (length == 0) {
            return name();
        }
        if (kind == Kind.DECIMAL) {
            return name() + "(" + length + "," + scale + ")";
        }
        return name() + "(" + length + (inBytes && kind != Kind.BYTEA ? " bytes" : "") + ")";
    }

    private static SqlType of(Kind kind) {
        return new SqlType(kind, 0, 0, false);
    }
}
