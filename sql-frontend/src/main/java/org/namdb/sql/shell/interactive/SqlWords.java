package org.namdb.sql.shell.interactive;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/// The words of SQL, for completion and colours. What a word means is the parser's business.
final class SqlWords {
    /// All of them, in upper case, sorted.
    static final List<String> ALL =
            List.of(
                    """
                    ADD ALL ALTER ANALYZE AND AS ASC BEGIN BETWEEN BIGINT BOOLEAN BY BYTEA CASCADE CASE CAST CHAR
                    CHECK COALESCE COLUMN COMMIT CONFLICT CONSTRAINT COPY COUNT CREATE CROSS CURRENT_DATE
                    CURRENT_TIMESTAMP DATE DEALLOCATE DECIMAL DEFAULT DELETE DESC DISTINCT DO DOUBLE DROP ELSE END
                    EXCEPT EXECUTE EXISTS EXPLAIN FALSE FIRST FOR FOREIGN FROM FULL GROUP HASH HAVING IF ILIKE IN
                    INDEX INNER INSERT INTEGER INTERSECT INTERVAL INTO IS ISOLATION JOIN KEY LAST LEFT LEVEL LIKE
                    LIMIT NATURAL NO NOT NOTHING NULL NULLIF NULLS NUMERIC OFFSET ON ONLY OR ORDER OUTER PRECISION
                    PREPARE PRIMARY READ REAL REFERENCES RELEASE RENAME REPEATABLE RESET RESTRICT RETURNING RIGHT
                    ROLLBACK SAVEPOINT SELECT SET SHOW SMALLINT START SUM TABLE TEXT THEN TIME TIMESTAMP TO
                    TRANSACTION TRUE TRUNCATE UNION UNIQUE UPDATE USING UUID VALUES VARCHAR VERBS WHEN WHERE WITH
                    WRITE
                    """
                            .strip()
                            .split("\\s+"));

    private static final Set<String> SET = Set.copyOf(ALL);

    private SqlWords() {}

    /// Whether it is one of them, in upper or lower case.
    static boolean contains(String word) {
        return SET.contains(word.toUpperCase(Locale.ROOT));
    }
}
