package org.namdb.sql.shell.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.sql.language.result.Notice;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.result.ResultColumn;
import org.namdb.sql.language.type.SqlType;

/// Each form of the same few rows.
class RowPrinterTest {
    private final PrintSettings settings = new PrintSettings();

    private String printed(ListedRows rows) {
        StringWriter text = new StringWriter();
        new RowPrinter(settings).print(rows, new PrintWriter(text));
        return text.toString();
    }

    private static ListedRows accounts() {
        return new ListedRows(
                List.of(
                        new ResultColumn("id", SqlType.INTEGER),
                        new ResultColumn("owner", SqlType.TEXT),
                        new ResultColumn("balance", SqlType.DECIMAL),
                        new ResultColumn("open", SqlType.BOOLEAN)),
                List.of(
                        ListedRows.row(1L, "Ada", new BigDecimal("12.50"), true),
                        ListedRows.row(20L, "日本", null, false),
                        ListedRows.row(300L, "a,\"b\"\nc|d", new BigDecimal("-7"), null),
                        ListedRows.row(4L, "", new BigDecimal("0"), true)));
    }

    private static ListedRows texts(String name, @Nullable String... values) {
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (String value : values) {
            rows.add(ListedRows.row(value));
        }
        return ListedRows.ofText(List.of(name), rows);
    }

    /// What was printed of rows that end with an error.
    private String printedTillItFails(ListedRows rows) {
        StringWriter text = new StringWriter();
        assertThatIllegalStateException()
                .isThrownBy(() ->
                        new RowPrinter(settings)
                                .print(new FailingRows(rows), new PrintWriter(text)));
        return text.toString();
    }

    /// Fails where the rows end.
    private record FailingRows(ListedRows rows) implements Result {
        @Override
        public List<ResultColumn> columns() {
            return rows.columns();
        }

        @Override
        public boolean hasRows() {
            return true;
        }

        @Override
        public boolean next() {
            if (!rows.next()) {
                throw new IllegalStateException("division by zero");
            }
            return true;
        }

        @Override
        public @Nullable Object value(int column) {
            return rows.value(column);
        }

        @Override
        public @Nullable String text(int column) {
            return rows.text(column);
        }

        @Override
        public String tag() {
            return rows.tag();
        }

        @Override
        public long rowCount() {
            return rows.rowCount();
        }

        @Override
        public List<Notice> notices() {
            return List.of();
        }

        @Override
        public void close() {}
    }

    @ParameterizedTest
    @EnumSource(OutputFormat.class)
    void rowsThatFailAtOnceHaveNoHeader(OutputFormat format) {
        settings.format(format);
        assertThat(printedTillItFails(texts("a"))).isEmpty();
    }

    @Test
    void rowsThatFailInTheMiddleEndWithALine() {
        settings.format(OutputFormat.JSON);
        assertThat(printedTillItFails(texts("a", "x", "y")))
                .isEqualTo("[{\"a\":\"x\"},\n {\"a\":\"y\"}]\n");
        settings.format(OutputFormat.CSV);
        assertThat(printedTillItFails(texts("a", "x"))).isEqualTo("a\nx\n");
        settings.format(OutputFormat.MARKDOWN);
        assertThat(printedTillItFails(texts("a", "x"))).isEqualTo("| a |\n|---|\n| x |\n");
        settings.format(OutputFormat.ALIGNED);
        settings.border(2);
        String[] many = new String[RowPrinter.SAMPLE_ROWS + 1];
        Arrays.fill(many, "x");
        assertThat(printedTillItFails(texts("a", many))).endsWith("| x |\n+---+\n");
    }

    @Test
    void asciiWithoutAFrameIsWhatPipesGet() {
        assertThat(printed(accounts()))
                .isEqualTo(
                        """
                         id  | owner | balance | open
                        -----+-------+---------+-------
                           1 | Ada   |   12.50 | true
                          20 | 日本  |         | false
                         300 | a,"b"+|      -7 |
                             | c|d   |         |
                           4 |       |       0 | true
                        (4 rows)
                        """);
    }

    @Test
    void aFrameOfBoxDrawing() {
        settings.border(2);
        settings.lineStyle(LineStyle.UNICODE);
        settings.nullText("NULL");
        assertThat(printed(accounts()))
                .isEqualTo(
                        """
                        ┌─────┬───────┬─────────┬───────┐
                        │ id  │ owner │ balance │ open  │
                        ├─────┼───────┼─────────┼───────┤
                        │   1 │ Ada   │   12.50 │ true  │
                        │  20 │ 日本  │    NULL │ false │
                        │ 300 │ a,"b"↵│      -7 │ NULL  │
                        │     │ c|d   │         │       │
                        │   4 │       │       0 │ true  │
                        └─────┴───────┴─────────┴───────┘
                        (4 rows)
                        """);
    }

    @Test
    void withoutLinesAndWithoutHeaders() {
        settings.border(0);
        settings.tuplesOnly(true);
        assertThat(printed(texts("word", "one", "three"))).isEqualTo("one\nthree\n");
    }

    @Test
    void expandedRowsHaveANumberEach() {
        settings.expanded(PrintSettings.Expanded.ON);
        assertThat(printed(accounts()).lines().limit(12))
                .containsExactly(
                        "-- row 1 -----------",
                        "id      | 1",
                        "owner   | Ada",
                        "balance | 12.50",
                        "open    | true",
                        "-- row 2 -----------",
                        "id      | 20",
                        "owner   | 日本",
                        "balance |",
                        "open    | false",
                        "-- row 3 -----------",
                        "id      | 300");
    }

    @Test
    void autoExpandsOnlyWhatIsWiderThanTheScreen() {
        settings.expanded(PrintSettings.Expanded.AUTO);
        settings.screenColumns(10);
        assertThat(printed(texts("t", "short"))).contains(" short\n");
        assertThat(printed(texts("t", "much longer than that"))).contains("t | much longer");
    }

    @Test
    void csvDistinguishesNullFromEmpty() {
        settings.format(OutputFormat.CSV);
        assertThat(printed(accounts()))
                .isEqualTo(
                        """
                        id,owner,balance,open
                        1,Ada,12.50,true
                        20,日本,,false
                        300,"a,""b""
                        c|d",-7,
                        4,"",0,true
                        """);
    }

    @Test
    void jsonHasNumbersAsNumbers() {
        settings.format(OutputFormat.JSON);
        assertThat(printed(accounts()))
                .isEqualTo(
                        """
                        [{"id":1,"owner":"Ada","balance":12.50,"open":true},
                         {"id":20,"owner":"日本","balance":null,"open":false},
                         {"id":300,"owner":"a,\\"b\\"\\nc|d","balance":-7,"open":null},
                         {"id":4,"owner":"","balance":0,"open":true}]
                        """);
        assertThat(printed(texts("t"))).isEqualTo("[]\n");
    }

    @Test
    void jsonKeepsColumnsOfOneNameApartAndKnowsNoInfinity() {
        settings.format(OutputFormat.JSON);
        ResultColumn column = new ResultColumn("x", SqlType.DOUBLE);
        List<@Nullable Object[]> rows = new ArrayList<>();
        rows.add(ListedRows.row(1.5, Double.POSITIVE_INFINITY));
        assertThat(printed(new ListedRows(List.of(column, column), rows)))
                .isEqualTo("[{\"x\":1.5,\"x_2\":\"Infinity\"}]\n");
    }

    @Test
    void markdownEscapesWhatWouldEndACell() {
        settings.format(OutputFormat.MARKDOWN);
        assertThat(printed(accounts()))
                .isEqualTo(
                        """
                        | id | owner | balance | open |
                        |---:|---|---:|---|
                        | 1 | Ada | 12.50 | true |
                        | 20 | 日本 |  | false |
                        | 300 | a,"b"<br>c\\|d | -7 |  |
                        | 4 |  | 0 | true |
                        """);
    }

    @Test
    void unalignedHasTheSeparatorThatWasChosen() {
        settings.format(OutputFormat.UNALIGNED);
        settings.fieldSeparator(";");
        settings.tuplesOnly(true);
        assertThat(printed(accounts())).startsWith("1;Ada;12.50;true\n20;日本;;false\n");
    }

    @Test
    void controlCharactersCannotReachTheTerminal() {
        String text = printed(texts("t", "\u001b[2Jgone\u0007", "a\tb", "\u202eabc"));
        assertThat(text).contains("\\x1B[2Jgone\\x07").contains("a       b").contains("\\u202Eabc");
    }

    @Test
    void rowsBehindTheSampleMayBeWider() {
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (long i = 0; i <= RowPrinter.SAMPLE_ROWS; i++) {
            rows.add(ListedRows.row(i < RowPrinter.SAMPLE_ROWS ? "x" : "wider than all before"));
        }
        assertThat(printed(ListedRows.ofText(List.of("t"), rows)))
                .startsWith(" t\n---\n x\n")
                .endsWith(" wider than all before\n(1001 rows)\n");
    }

    @Test
    void widthsAreThoseOfATerminal() {
        assertThat(CellText.width("abc")).isEqualTo(3);
        assertThat(CellText.width("日本")).isEqualTo(4);
        assertThat(CellText.width("e\u0301")).isEqualTo(1);
        assertThat(CellText.width("😀")).isEqualTo(2);
    }
}
