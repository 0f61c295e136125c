package org.namdb.sql.engine.expression;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tables of expressions, each with what PostgreSQL 15 makes of it: a value or an error.
class PostgresValuesTest {
    @ParameterizedTest
    @ValueSource(strings = {"numbers", "strings", "datetimes", "casts", "operators"})
    void givesWhatPostgresGives(String table) throws IOException {
        List<String> wrong = new ArrayList<>();
        for (String line : lines(table)) {
            int arrow = line.indexOf(" => ");
            String expression = line.substring(0, arrow);
            String expected = line.substring(arrow + 4);
            String actual = Evaluation.of(expression);
            if (!actual.equals(expected)) {
                wrong.add(expression + " => " + actual + ", not " + expected);
            }
        }
        assertThat(wrong).isEmpty();
    }

    private static List<String> lines(String table) throws IOException {
        try (InputStream in =
                PostgresValuesTest.class.getResourceAsStream("postgres-" + table + ".txt")) {
            String all =
                    new String(
                            Objects.requireNonNull(in, table).readAllBytes(),
                            StandardCharsets.UTF_8);
            return all.lines().filter(l -> !l.isBlank() && !l.startsWith("#")).toList();
        }
    }
}
