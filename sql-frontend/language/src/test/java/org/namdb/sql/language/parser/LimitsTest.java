package org.namdb.sql.language.parser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;

/// Deep, long and large statements.
class LimitsTest {
    @ParameterizedTest
    @CsvSource(
            delimiterString = "|",
            quoteCharacter = '`',
            textBlock =
                    """
                    select | ( | 1 | ) |
                    select | not | a | |
                    select | - | a | |
                    select | not a = | a | |
                    select | f( | a | ) |
                    select | a in ( | 1 | ) |
                    select | (select | 1 | ) |
                    select | exists (select | 1 | ) |
                    select | case when | a | then 1 end |
                    select | a between | 1 | and 2 |
                    select | (1, | 1 | ) |
                    select * from | (select * from | t | ) x |
                    select * from | (a join | t | on x) |
                    select * from | a join | t | on x |
                    | ( | select 1 | ) |
                    select | ( | | |
                    select | case | | |
                    select | cast( | a | as int) |
                    """)
    void nestingIsLimitedWithoutOverflowOfTheStack(
            String start, String open, String middle, String close) throws InterruptedException {
        assertThat(onUsualStack(nested(start, open, middle, close, 100))).doesNotContain("54001");
        for (int depth : new int[] {10_000, 100_000}) {
            assertThat(onUsualStack(nested(start, open, middle, close, depth)))
                    .contains("54001 statement too complex: more than 500 levels of nesting");
        }
    }

    private static String nested(
            String start, String open, String middle, String close, int depth) {
        return text(start)
                + " "
                + (text(open) + " ").repeat(depth)
                + text(middle)
                + (" " + text(close)).repeat(depth);
    }

    private static String text(String cell) {
        return cell == null ? "" : cell;
    }

    /// What becomes of it on a thread with the stack that Java usually gives.
    private static String onUsualStack(String sql) throws InterruptedException {
        AtomicReference<String> result = new AtomicReference<>("");
        Thread thread =
                new Thread(
                        null,
                        () -> {
                            try {
                                SqlParser.parse(sql);
                            } catch (SqlException e) {
                                result.set(Trees.error(e));
                            }
                        },
                        "usual stack",
                        1 << 20);
        thread.start();
        thread.join();
        return result.get();
    }

    @Test
    void longChainsAndListsAreReadAndWrittenInLoops() {
        for (String sql :
                List.of(
                        "a = 1" + " OR a = 1".repeat(50_000),
                        "a" + " + a".repeat(50_000),
                        "a" + " || a".repeat(50_000),
                        "a IN (1" + ", 2".repeat(100_000) + ")",
                        "a BETWEEN 1 AND 2" + " AND a BETWEEN 1 AND 2".repeat(20_000))) {
            assertThat(SqlWriter.write(SqlParser.parseExpression(sql))).isEqualTo(sql);
        }
        for (String sql :
                List.of(
                        "VALUES (1, 'a')" + ", (2, 'b')".repeat(100_000),
                        "SELECT 1" + " UNION ALL SELECT 2".repeat(10_000),
                        "SELECT * FROM t" + " JOIN t ON a = b".repeat(10_000),
                        "SELECT 1" + ", 2".repeat(100_000))) {
            assertThat(Trees.read(sql)).isEqualTo(sql);
        }
    }

    @Test
    void aTextBeyondTheLimitIsRefusedUnread() {
        String sql = "select '" + "x".repeat(SqlParser.MAX_TEXT) + "'";
        assertThat(Trees.read(sql))
                .isEqualTo(
                        "0:0 54000 statement too long: %d characters, at most 16777216 are allowed | Send several statements, or load the rows with COPY."
                                .formatted(sql.length()));
    }

    @Test
    void aMegabyteOfRowsIsOneStatement() {
        StringBuilder sql = new StringBuilder("insert into t (a, b, c) values (0, '', null)");
        while (sql.length() < 1 << 20) {
            sql.append(", (").append(sql.length()).append(", 'some text', -1.25)");
        }
        Statement.Insert insert = (Statement.Insert) SqlParser.parseOne(sql.toString());
        assertThat(insert.source()).isNotNull();
    }

    @Test
    void manyStatementsAreReadOneByOne() {
        assertThat(SqlParser.parse("update t set a = a + 1 where b = ?;".repeat(20_000)))
                .hasSize(20_000);
    }

    @Test
    void parametersAreNumberedInEachStatement() {
        List<Integer> numbers = new ArrayList<>();
        for (Statement statement :
                SqlParser.parse("execute p (?, ?); execute p (position(? in ?)); execute p ($7)")) {
            for (Expression argument : ((Statement.Execute) statement).arguments()) {
                switch (argument) {
                    case Expression.Parameter p -> numbers.add(p.index());
                    case Expression.Call c ->
                            c.arguments()
                                    .forEach(a -> numbers.add(((Expression.Parameter) a).index()));
                    default -> throw new AssertionError(argument);
                }
            }
        }
        // The text comes first in the call, and second in the statement.
        assertThat(numbers).containsExactly(0, 1, 1, 0, 6);
    }
}
