package org.namdb.cache.line;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.cache.line.LatchWordModel.Fault;
import org.namdb.cache.line.LatchWordModel.Result;

/// All states of one line and its latch word between three stations: each copy that may be used is
/// what was written last, no fetch-and-add carries, and whatever happens, each station that lives
/// can still get the line.
class LatchWordModelTest {
    private static void assertRight(LatchWordModel model, int minStates) {
        Result result = model.visit();
        assertThat(result.violation()).isNull();
        assertThat(result.states()).isGreaterThan(minStates);
    }

    @Test
    void stationsThatGiveUpAreCoherentAndGetTheLine() {
        assertRight(new LatchWordModel(Fault.NONE, 1, false, false), 100_000);
    }

    @Test
    void theSurvivorsOfOneAreCoherentAndGetTheLine() {
        assertRight(new LatchWordModel(Fault.NONE, 0, true, false), 100_000);
    }

    @Test
    void aStationMayBeAnotherProcesssLater() {
        assertRight(new LatchWordModel(Fault.NONE, 0, true, true), 200_000);
    }

    /// The check finds what it is for.
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void eachRuleIsNeeded(Fault fault) {
        assertThat(new LatchWordModel(fault, 0, true, false).visit().violation()).isNotNull();
    }
}
