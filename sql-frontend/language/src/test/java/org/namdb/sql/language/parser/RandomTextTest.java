package org.namdb.sql.language.parser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Seeds;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Random trees survive being written and read; random texts give trees or errors, and
/// nothing else.
class RandomTextTest {
    private static final int ROUNDS = 1_500;

    private static final List<String> SCRAPS =
            List.of(
                    "(",
                    ")",
                    ",",
                    ";",
                    "'",
                    "\"",
                    "$$",
                    "$1",
                    "?",
                    "--",
                    "/*",
                    "*/",
                    "E'\\",
                    "::",
                    "-",
                    "not ",
                    "select ",
                    " from ",
                    " and ",
                    " between ",
                    " in ",
                    "case ",
                    " end",
                    " join ",
                    "values ",
                    " is ",
                    "[",
                    "~",
                    "1e",
                    "1a",
                    "\0",
                    "é",
                    "\ud800",
                    "position(",
                    " order by ",
                    "interval '1' ");

    @Test
    void aWrittenTreeIsReadAsTheSameTree() {
        Random random = new Random(Seeds.next());
        RandomStatements statements = new RandomStatements(random);
        for (int i = 0; i < ROUNDS; i++) {
            Statement statement = statements.statement();
            String sql = SqlWriter.write(statement);
            assertThat(Trees.shape(read(sql))).as(sql).isEqualTo(Trees.shape(statement));
            assertThat(SqlWriter.write(read(sql))).isEqualTo(sql);
        }
    }

    private static Statement read(String sql) {
        try {
            return SqlParser.parseOne(sql);
        } catch (SqlException e) {
            throw new AssertionError(Trees.error(e) + " in " + sql, e);
        }
    }

    @Test
    void malformedStatementsGiveErrorsInTheText() {
        Random random = new Random(Seeds.next());
        RandomStatements statements = new RandomStatements(random);
        for (int i = 0; i < ROUNDS; i++) {
            StringBuilder sql = new StringBuilder(SqlWriter.write(statements.statement()));
            int edits = 1 + random.nextInt(4);
            for (int edit = 0; edit < edits; edit++) {
                change(sql, random);
            }
            check(sql.toString());
        }
    }

    private static void change(StringBuilder sql, Random random) {
        int at = random.nextInt(sql.length() + 1);
        int end = Math.min(sql.length(), at + random.nextInt(12));
        switch (random.nextInt(4)) {
            case 0 -> sql.delete(at, end);
            case 1 -> sql.insert(at, SCRAPS.get(random.nextInt(SCRAPS.size())));
            case 2 -> sql.insert(at, sql.substring(at, end));
            default -> sql.insert(random.nextInt(sql.length() + 1), sql.substring(at, end));
        }
    }

    @Test
    void scrapsOfSqlGiveErrorsInTheText() {
        Random random = new Random(Seeds.next());
        List<String> words = new ArrayList<>(SCRAPS);
        Keywords.all().forEach(word -> words.add(word + " "));
        for (int i = 0; i < ROUNDS; i++) {
            StringBuilder sql = new StringBuilder();
            int size = random.nextInt(30);
            for (int word = 0; word < size; word++) {
                sql.append(words.get(random.nextInt(words.size())));
            }
            check(sql.toString());
        }
    }

    /// Reads, splits and highlights a text that may be anything.
    private static void check(String sql) {
        try {
            SqlParser.parse(sql).forEach(SqlWriter::write);
        } catch (SqlException e) {
            assertThat(e.state()).as(sql).isNotEqualTo(SqlState.INTERNAL_ERROR);
            if (e.position() != null) {
                assertThat(e.position().offset()).as(sql).isBetween(0, sql.length());
                assertThat(e.line()).as(sql).isPositive();
                int length = e.lineText().codePointCount(0, e.lineText().length());
                assertThat(e.column() - 1).as(sql).isBetween(0, length);
                assertThat(e.markLength()).as(sql).isPositive();
            }
        }
        int end = 0;
        for (SqlTokens.Span span : SqlTokens.of(sql)) {
            assertThat(span.start()).as(sql).isGreaterThanOrEqualTo(end);
            assertThat(span.end()).as(sql).isBetween(span.start() + 1, sql.length());
            end = span.end();
        }
        for (StatementSplitter.Piece piece : StatementSplitter.split(sql)) {
            assertThat(sql.startsWith(piece.text(), piece.offset())).as(sql).isTrue();
        }
    }
}
