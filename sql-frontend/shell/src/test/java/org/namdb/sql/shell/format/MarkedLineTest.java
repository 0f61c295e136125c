package org.namdb.sql.shell.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Where the marks stand under a line of a statement.
class MarkedLineTest {
    private static final String PREFIX = "LINE 1: ";

    private static String marked(String text, String place, int columns) {
        MarkedLine line = MarkedLine.of(PREFIX, text, text.indexOf(place), place.length(), columns);
        return line.line() + "\n" + line.marks();
    }

    @Test
    void aLineThatFitsIsWhole() {
        assertThat(marked("SELECT nmae FROM t", "nmae", 80))
                .isEqualTo("LINE 1: SELECT nmae FROM t\n               ^^^^");
    }

    @Test
    void aTabIsABlankAndWideCharactersTakeTwoColumns() {
        assertThat(marked("SELECT\t'日本', x", "x", 80))
                .isEqualTo("LINE 1: SELECT '日本', x\n                       ^");
        assertThat(marked("SELECT '日本' x", "'日本'", 80))
                .isEqualTo("LINE 1: SELECT '日本' x\n               ^^^^^^");
    }

    @Test
    void ofALongLineThePartAroundThePlaceIsShown() {
        String filler = "abcdefghij".repeat(10);
        assertThat(marked("SELECT nmae, " + filler, "nmae", 60))
                .isEqualTo(
                        """
                        LINE 1: SELECT nmae, abcdefghijabcdefghijabcdefghijabcde...
                                       ^^^^\
                        """);
        assertThat(marked(filler + " nmae " + filler, "nmae", 60))
                .isEqualTo(
                        """
                        LINE 1: ...bcdefghijabcdefghij nmae abcdefghijabcdefghij...
                                                       ^^^^\
                        """);
        assertThat(marked(filler + " nmae", "nmae", 60))
                .isEqualTo(
                        """
                        LINE 1: ...hijabcdefghijabcdefghijabcdefghijabcdefghij nmae
                                                                               ^^^^\
                        """);
    }

    @Test
    void thePlaceIsInTheShownPartWhateverIsLong() {
        long seed = Long.getLong("namdb.seed", new SplittableRandom().nextLong());
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 2_000; i++) {
            StringBuilder text = new StringBuilder();
            int characters = random.nextInt(200);
            for (int c = 0; c < characters; c++) {
                text.append(
                        switch (random.nextInt(10)) {
                            case 0 -> "日";
                            case 1 -> "\t";
                            case 2 -> "\u001b";
                            default -> Character.toString('a' + random.nextInt(26));
                        });
            }
            int place = random.nextInt(characters + 1);
            int length = 1 + random.nextInt(Math.max(1, characters - place));
            int columns = 60 + random.nextInt(60);
            MarkedLine line = MarkedLine.of(PREFIX, text.toString(), place, length, columns);
            String what = "seed " + seed + ", case " + i + ": " + line;
            int shown = CellText.width(line.line());
            assertThat(shown).as(what).isLessThanOrEqualTo(columns);
            assertThat(line.marks().length())
                    .as(what)
                    .isLessThanOrEqualTo(Math.max(columns, shown + 1));
            assertThat(line.marks()).as(what).matches(" {8,}\\^+");
        }
    }
}
