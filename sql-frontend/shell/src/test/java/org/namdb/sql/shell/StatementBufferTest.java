package org.namdb.sql.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.sql.shell.StatementBuffer.MetaPiece;
import org.namdb.sql.shell.StatementBuffer.Piece;
import org.namdb.sql.shell.StatementBuffer.StatementPiece;

/// Where a statement ends, and what is open where it doesn't.
class StatementBufferTest {
    private final StatementBuffer buffer = new StatementBuffer();

    private List<String> pieces(String... lines) {
        List<String> pieces = new ArrayList<>();
        for (String line : lines) {
            buffer.append(line);
            for (Piece piece = buffer.next(); piece != null; piece = buffer.next()) {
                pieces.add(
                        switch (piece) {
                            case StatementPiece s -> s.line() + ": " + s.text();
                            case MetaPiece m -> m.line() + ": " + m.text();
                        });
            }
        }
        return pieces;
    }

    @Test
    void aStatementEndsAtItsSemicolon() {
        assertThat(pieces("SELECT 1; SELECT", "2", ";;  ; SELECT 3"))
                .containsExactly("1: SELECT 1", "1: SELECT\n2");
        assertThat(buffer.pending()).isEqualTo("SELECT 3");
        assertThat(buffer.pendingLine()).isEqualTo(3);
    }

    @Test
    void semicolonsInQuotesAndCommentsEndNothing() {
        assertThat(
                        pieces(
                                "SELECT 'a;''b;', \"c;\"\";\" -- d;",
                                "/* e; /* f; */ g; */ , $x$ h; $$ ; $x$, E'i\\';''\\';' ;"))
                .hasSize(1);
        assertThat(buffer.open()).isEqualTo(OpenText.NOTHING);
    }

    @Test
    void aBackslashBeginsAMetaCommandTillTheEndOfTheLine() {
        assertThat(pieces("\\d accounts; really", "SELECT 1 \\g", "SELECT '\\x'; \\q"))
                .containsExactly(
                        "1: \\d accounts; really",
                        "2: \\g",
                        "2: SELECT 1 \nSELECT '\\x'",
                        "3: \\q");
    }

    @Test
    void commentsAloneAreNoStatement() {
        assertThat(pieces("-- nothing", "/* nor", "this */", ";", "-- here", "SELECT 1;"))
                .containsExactly("6: SELECT 1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "SELECT | STATEMENT",
                "SELECT 'a | STRING",
                "SELECT \"a | NAME",
                "SELECT $$a | DOLLAR_STRING",
                "SELECT $a$ $$ | DOLLAR_STRING",
                "SELECT $1, a$b$c | STATEMENT",
                "SELECT (1, ( 2) | PARENTHESIS",
                "SELECT /* a /* b */ | COMMENT",
                "SELECT 1; | NOTHING",
                "-- SELECT | NOTHING",
                "SELECT (1)) | STATEMENT"
            })
    void whatIsOpen(String line, OpenText open) {
        pieces(line);
        assertThat(buffer.open()).isEqualTo(open);
    }
}
