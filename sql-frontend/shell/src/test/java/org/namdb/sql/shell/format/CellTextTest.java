package org.namdb.sql.shell.format;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// Text as a terminal shows it.
class CellTextTest {
    @Test
    void longTextIsWrappedAtBlanks() {
        assertThat(CellText.wrapped("as wide as the terminal", 10))
                .containsExactly("as wide as", "the", "terminal");
        assertThat(CellText.wrapped("日本 日本 日本", 9)).containsExactly("日本 日本", "日本");
    }

    @Test
    void aWordThatIsTooLongHasALineOfItsOwn() {
        assertThat(CellText.wrapped("a incomprehensible b", 5))
                .containsExactly("a", "incomprehensible", "b");
    }
}
