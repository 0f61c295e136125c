package org.namdb.sql.engine.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.namdb.sql.language.error.SqlException;

class SequenceValuesTest {
    @Test
    void aRangeThatIsSoonUsedUpIsFollowedByALargerOne() {
        int ahead = SequenceValues.FIRST_AHEAD;
        for (int i = 0; i < 20; i++) {
            int next = SequenceValues.ahead(ahead, SequenceValues.LASTING_NANOS - 1);
            assertThat(next).isEqualTo(Math.min(2 * ahead, SequenceValues.MAX_AHEAD));
            ahead = next;
        }
        for (int i = 0; i < 20; i++) {
            ahead = SequenceValues.ahead(ahead, SequenceValues.LASTING_NANOS);
        }
        assertThat(ahead).isEqualTo(SequenceValues.FIRST_AHEAD);
    }

    @Test
    void namesAreReadAsInSql() {
        assertThat(SessionSequences.name(" MySeq ")).isEqualTo("myseq");
        assertThat(SessionSequences.name("public.S")).isEqualTo("s");
        assertThat(SessionSequences.name("\"My.Seq\"")).isEqualTo("My.Seq");
        assertThat(SessionSequences.name("public.\"a\"\"b\"")).isEqualTo("a\"b");
        assertThat(SessionSequences.name("other.s")).isEqualTo("other.s");
        for (String bad : new String[] {"", ".", "a.", "\"a"}) {
            assertThatThrownBy(() -> SessionSequences.name(bad))
                    .isInstanceOf(SqlException.class)
                    .hasMessage("invalid name syntax");
        }
    }
}
