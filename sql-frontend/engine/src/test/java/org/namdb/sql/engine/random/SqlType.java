package org.namdb.sql.engine.random;

import java.util.List;
import java.util.Locale;
import java.util.Random;

/// The types of columns and expressions. Values are small enough that no expression of the
/// generator overflows, and have no text that two databases could write differently: doubles are
/// multiples of a quarter, decimals have two places.
enum SqlType {
    SMALLINT("SMALLINT"),
    INT("INT"),
    BIGINT("BIGINT"),
    DECIMAL("DECIMAL(12,2)"),
    DOUBLE("DOUBLE PRECISION"),
    BOOLEAN("BOOLEAN"),
    TEXT("VARCHAR(12)"),
    CHAR("CHAR(4)"),
    DATE("DATE"),
    TIMESTAMP("TIMESTAMP"),
    UUID("UUID");

    private static final List<String> WORDS =
            List.of("", "a", "b", "ab", "abc", "B", "Abc", "a b", " x", "x ", "10", "a_b", "50%");

    private final String declaration;

    SqlType(String declaration) {
        this.declaration = declaration;
    }

    /// The type in a definition of a column or a cast.
    String declaration() {
        return declaration;
    }

    /// True if MIN and MAX take it.
    boolean hasExtremes() {
        return this != BOOLEAN && this != UUID && this != CHAR;
    }

    /// A value that isn't NULL, as it stands in a statement, with a type that is known.
    String literal(Random random) {
        return switch (this) {
            case SMALLINT -> "CAST(" + (random.nextInt(21) - 10) + " AS SMALLINT)";
            case INT -> "" + (random.nextInt(4) == 0 ? random.nextInt(1000) : random.nextInt(8));
            case BIGINT -> "CAST(" + (random.nextInt(5) - 2) * 1_000_000_000L + " AS BIGINT)";
            case DECIMAL -> cast(String.format(Locale.ROOT, "%.2f", random.nextInt(2000) / 100.0));
            case DOUBLE -> cast("" + (random.nextInt(41) - 20) / 4.0);
            case BOOLEAN -> random.nextBoolean() ? "TRUE" : "FALSE";
            case TEXT -> "'" + word(random) + "'";
            case CHAR -> cast("'" + word(random).strip() + "'");
            case DATE -> "DATE '" + date(random) + "'";
            case TIMESTAMP ->
                    "TIMESTAMP '" + date(random) + " 0" + random.nextInt(10) + ":30:15.25'";
            case UUID -> cast("'00000000-0000-0000-0000-00000000000" + random.nextInt(6) + "'");
        };
    }

    String nullLiteral() {
        return cast("NULL");
    }

    private String cast(String value) {
        return "CAST(" + value + " AS " + declaration + ")";
    }

    /// A text that columns of text may have.
    String word(Random random) {
        return WORDS.get(random.nextInt(WORDS.size()));
    }

    /// Around the end of a February with 29 days.
    private static String date(Random random) {
        return random.nextBoolean()
                ? "2024-02-2" + (7 + random.nextInt(3))
                : "2024-03-0" + (1 + random.nextInt(3));
    }
}
