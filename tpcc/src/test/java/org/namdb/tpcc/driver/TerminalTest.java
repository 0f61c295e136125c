package org.namdb.tpcc.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.tpcc.Scale;

class TerminalTest {
    private static List<List<Terminal>> ofThreads(int warehouses, int threads) {
        Scale scale = new Scale(warehouses, 100);
        return IntStream.range(0, threads)
                .mapToObj(thread -> Terminal.ofThread(scale, thread, threads))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"4, 2", "4, 4", "5, 3", "1, 1", "1, 8", "2, 3", "1, 10"})
    void everyTerminalHasOneThreadAndEveryThreadATerminal(int warehouses, int threads) {
        List<List<Terminal>> all = ofThreads(warehouses, threads);
        assertThat(all).noneMatch(List::isEmpty);
        assertThat(all.stream().flatMap(List::stream))
                .hasSize(10 * warehouses)
                .doesNotHaveDuplicates()
                .allMatch(t -> t.warehouse() >= 1 && t.warehouse() <= warehouses)
                .allMatch(t -> t.district() >= 1 && t.district() <= 10);
    }

    @Test
    void withEnoughWarehousesAThreadHasWholeOnes() {
        List<List<Terminal>> all = ofThreads(4, 2);
        assertThat(warehouses(all.get(0))).containsExactly(1, 3);
        assertThat(warehouses(all.get(1))).containsExactly(2, 4);
    }

    private static List<Integer> warehouses(List<Terminal> terminals) {
        return terminals.stream()
                .map(Terminal::warehouse)
                .distinct()
                .sorted()
                .collect(Collectors.toList());
    }

    @Test
    void withMoreThreadsThanTerminalsSomeShareOne() {
        List<List<Terminal>> all = ofThreads(1, 25);
        assertThat(all).allMatch(terminals -> terminals.size() == 1);
        assertThat(all.stream().flatMap(List::stream).distinct()).hasSize(10);
    }
}
