package org.namdb.compute.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SnapshotAgeTest {
    private final SnapshotAge age = new SnapshotAge();

    @Test
    void theNewestHasNoAge() {
        age.saw(5, 100);
        assertThat(age.of(5, 5, 900)).isZero();
        assertThat(age.of(7, 7, 900)).isZero();
    }

    @Test
    void itIsAsOldAsTheFirstLookThatSawANewerOne() {
        age.saw(5, 100);
        age.saw(5, 200);
        age.saw(6, 300);
        age.saw(9, 400);
        assertThat(age.of(5, 9, 900)).isEqualTo(600);
        assertThat(age.of(6, 9, 900)).isEqualTo(500);
        assertThat(age.of(4, 9, 900)).as("it may be older").isEqualTo(800);
    }

    @Test
    void aMemberAppendedAfterTheLastSampleHasNoAgeYet() {
        age.saw(5, 100);
        assertThat(age.of(5, 6, 900)).isZero();
    }
}
