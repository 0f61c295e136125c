package org.namdb.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// Table 2 of the YCSB paper, and table 3 of the tree-index paper.
class WorkloadTest {
    @ParameterizedTest
    @CsvSource({
        "A, 50, 50, 0, 0, 0, zipf:0.99", "B, 95, 5, 0, 0, 0, zipf:0.99",
        "C, 100, 0, 0, 0, 0, zipf:0.99", "D, 95, 0, 5, 0, 0, latest",
        "E, 0, 0, 5, 95, 0, zipf:0.99", "F, 50, 0, 0, 0, 50, zipf:0.99",
        "TREE_A, 100, 0, 0, 0, 0, uniform", "TREE_B, 0, 0, 0, 100, 0, uniform",
        "TREE_C, 95, 0, 5, 0, 0, uniform", "TREE_D, 50, 0, 50, 0, 0, uniform"
    })
    void theMixIsThePapers(
            Workload workload, int read, int update, int insert, int scan, int rmw, String which) {
        Map<Operation, Integer> counts = new EnumMap<>(Operation.class);
        for (int draw = 0; draw < 100; draw++) {
            counts.merge(workload.at(draw).operation(), 1, Integer::sum);
        }
        assertThat(counts.getOrDefault(Operation.READ, 0)).isEqualTo(read);
        assertThat(counts.getOrDefault(Operation.UPDATE, 0)).isEqualTo(update);
        assertThat(counts.getOrDefault(Operation.INSERT, 0)).isEqualTo(insert);
        assertThat(counts.getOrDefault(Operation.SCAN, 0)).isEqualTo(scan);
        assertThat(counts.getOrDefault(Operation.READ_MODIFY_WRITE, 0)).isEqualTo(rmw);
        assertThat(workload.requests()).hasToString(which);
    }

    @ParameterizedTest
    @EnumSource
    void kindsStandAtTheirIndexes(Workload workload) {
        for (int i = 0; i < workload.kinds().size(); i++) {
            assertThat(workload.kinds().get(i).index()).isEqualTo(i);
            assertThat(workload.percent(workload.kinds().get(i))).isPositive();
        }
    }
}
