package org.namdb.sql.language.parser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Seeds;
import org.namdb.sql.language.parser.StatementSplitter.Open;
import org.namdb.sql.language.parser.StatementSplitter.Piece;

class StatementSplitterTest {
    private static final String SCRIPT =
            "select ';'; -- no; end\nselect $a$;$$;$a$, \";\" /* ; /* ; */ ; */;;\n insert (1;\n'x''y\n;'\n'z;' ; last";

    @Test
    void semicolonsInStringsNamesAndCommentsSplitNothing() {
        assertThat(StatementSplitter.split(SCRIPT))
                .extracting(Piece::text)
                .containsExactly(
                        "select ';'",
                        "-- no; end\nselect $a$;$$;$a$, \";\" /* ; /* ; */ ; */",
                        "insert (1",
                        "'x''y\n;'\n'z;'",
                        "last");
    }

    @Test
    void offsetsPointIntoTheText() {
        for (Piece piece : StatementSplitter.split(SCRIPT)) {
            assertThat(SCRIPT.startsWith(piece.text(), piece.offset())).isTrue();
        }
    }

    @Test
    void whatIsOpenIsReportedForThePrompt() {
        assertThat(openAfter("")).isEqualTo(Open.NOTHING);
        assertThat(openAfter("select 1;\n -- x\n")).isEqualTo(Open.NOTHING);
        assertThat(openAfter("select 1")).isEqualTo(Open.STATEMENT);
        assertThat(openAfter("select (1\n")).isEqualTo(Open.PARENTHESIS);
        assertThat(openAfter("select 'a\n")).isEqualTo(Open.STRING);
        assertThat(openAfter("select \"a\n")).isEqualTo(Open.QUOTED_NAME);
        assertThat(openAfter("select /* /* */\n")).isEqualTo(Open.COMMENT);
        assertThat(openAfter("select $a$ $$\n")).isEqualTo(Open.DOLLAR_STRING);
    }

    private static Open openAfter(String text) {
        StatementSplitter splitter = new StatementSplitter();
        splitter.add(text);
        return splitter.open();
    }

    @Test
    void piecesOfAnyLengthGiveTheSameStatements() {
        Random random = new Random(Seeds.next());
        for (int round = 0; round < 200; round++) {
            StatementSplitter splitter = new StatementSplitter();
            List<Piece> pieces = new ArrayList<>();
            int at = 0;
            while (at < SCRIPT.length()) {
                int end = Math.min(SCRIPT.length(), at + 1 + random.nextInt(9));
                pieces.addAll(splitter.add(SCRIPT.substring(at, end)));
                at = end;
            }
            assertThat(splitter.rest()).isEqualTo("last");
            List<Piece> all = StatementSplitter.split(SCRIPT);
            assertThat(pieces).isEqualTo(all.subList(0, all.size() - 1));
        }
    }

    @Test
    void clearForgetsAnUnfinishedStatement() {
        StatementSplitter splitter = new StatementSplitter();
        splitter.add("select 'a");
        splitter.clear();
        assertThat(splitter.open()).isEqualTo(Open.NOTHING);
        assertThat(splitter.add("b;")).containsExactly(new Piece("b", 9, 1, false));
    }

    @Test
    void linesAreThoseOfTheFirstLexemes() {
        String script =
                "select 1; select\n2;\n\n/* a\n */ -- b\nselect 3; ;\n\n'a;\n';\n$$\n$$; last";
        List<Integer> lines = List.of(1, 1, 6, 8, 10, 11);
        assertThat(StatementSplitter.split(script)).extracting(Piece::line).isEqualTo(lines);
        Random random = new Random(Seeds.next());
        for (int round = 0; round < 200; round++) {
            StatementSplitter splitter = new StatementSplitter();
            List<Integer> found = new ArrayList<>();
            int at = 0;
            while (at < script.length()) {
                int end = Math.min(script.length(), at + 1 + random.nextInt(5));
                splitter.add(script.substring(at, end)).forEach(piece -> found.add(piece.line()));
                at = end;
            }
            found.add(splitter.restLine());
            assertThat(found).isEqualTo(lines);
        }
    }

    @Test
    void commandsEndWithTheLineAndAreNoPartOfTheirStatement() {
        StatementSplitter splitter = new StatementSplitter(true);
        assertThat(splitter.add("\\d a;b\nselect '\\x', \\p ;\n1; \\q"))
                .extracting(Piece::text)
                .containsExactly("\\d a;b", "\\p ;", "select '\\x', \n1");
        assertThat(splitter.add("\n")).containsExactly(new Piece("\\q", 28, 3, true));
        assertThat(splitter.hasBegun()).isFalse();
        assertThat(new StatementSplitter().add("\\d a;\n"))
                .extracting(Piece::text)
                .containsExactly("\\d a");
    }

    @Test
    void aCommentThatAnOperatorTouchesIsOne() {
        assertThat(StatementSplitter.split("select 5 |/* ; */ 4; select ~/* ;"))
                .extracting(Piece::text)
                .containsExactly("select 5 |/* ; */ 4", "select ~/* ;");
    }

    /// Sixteen million characters in lines, within a statement and within a string.
    @Test
    void longStatementsTakeTimeByTheirLength() {
        String row = "(1, 'some text', 2),\n".repeat(5);
        for (String begin : List.of("insert into t values\n", "select $$", "/* ", "select '")) {
            StatementSplitter splitter = new StatementSplitter();
            splitter.append(begin);
            boolean isString = begin.endsWith("'");
            for (int i = 0; i < 150_000; i++) {
                splitter.append(isString ? row.replace("'", "\"") : row);
                assertThat(splitter.next()).isNull();
            }
            assertThat(splitter.open()).isNotEqualTo(Open.NOTHING);
        }
    }

    @Test
    void highlightingNamesTheParts() {
        String text = "select \"a\", 'x', 1.5, $1, ? -- c\nfrom t where a >= 'open";
        List<String> parts =
                SqlTokens.of(text).stream()
                        .map(s -> s.kind() + " " + text.substring(s.start(), s.end()))
                        .toList();
        assertThat(parts)
                .containsExactly(
                        "KEYWORD select",
                        "NAME \"a\"",
                        "OPERATOR ,",
                        "STRING 'x'",
                        "OPERATOR ,",
                        "NUMBER 1.5",
                        "OPERATOR ,",
                        "PARAMETER $1",
                        "OPERATOR ,",
                        "PARAMETER ?",
                        "COMMENT -- c",
                        "KEYWORD from",
                        "NAME t",
                        "KEYWORD where",
                        "NAME a",
                        "OPERATOR >=",
                        "STRING 'open");
        assertThat(SqlTokens.of(text).getLast().isOpen()).isTrue();
    }

    @Test
    void keywordsAreThoseOfTheGrammar() {
        assertThat(Keywords.all()).contains("select", "verbs", "key").doesNotContain("date", "t");
        assertThat(Keywords.reserved())
                .contains("select", "user", "table")
                .doesNotContain("key", "type");
        assertThat(Keywords.quoted("key")).isEqualTo("key");
        assertThat(Keywords.quoted("user")).isEqualTo("\"user\"");
        assertThat(Keywords.quoted("Ab\"c")).isEqualTo("\"Ab\"\"c\"");
        assertThat(Keywords.quoted("")).isEqualTo("\"\"");
    }
}
