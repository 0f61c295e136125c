package org.namdb.sql.engine.expression;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestNameTest {
    @ParameterizedTest
    @CsvSource({
        "nam, name",
        "nmae, name",
        "lenth, length",
        "balnce, balance",
        "cutsomer, customer"
    })
    void itIsWhatOneMayHaveMeant(String name, String meant) {
        assertThat(NearestName.hint(name, List.of("customer", "length", "name", "balance")))
                .isEqualTo("Perhaps you meant \"" + meant + "\".");
    }

    /// More than a third of the name, or more than three characters, would have to change.
    @ParameterizedTest
    @CsvSource({"nosuch, cosh", "ab, abs", "sinh, exp", "statistical, statistics_of"})
    void whatIsFarIsNotNamed(String name, String known) {
        assertThat(NearestName.hint(name, List.of(known))).isNull();
    }

    @Test
    void theNearestOfSeveralIsNamed() {
        assertThat(NearestName.hint("lengths", List.of("strength", "length", "lengthen")))
                .isEqualTo("Perhaps you meant \"length\".");
    }
}
