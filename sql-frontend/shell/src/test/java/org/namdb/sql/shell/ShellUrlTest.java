package org.namdb.sql.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The options of a URL, and the errors about others.
class ShellUrlTest {
    @Test
    void anEmbeddedDatabaseHasMemoryAndServers() {
        assertThat(ShellUrl.parse("embedded:")).isEqualTo(ShellUrl.DEFAULT);
        assertThat(ShellUrl.parse("embedded:?memory=2g&servers=2"))
                .isEqualTo(new ShellUrl(2L << 30, 2));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tcp://host:7000 | a URL is embedded:",
                "embedded:accounts | has no name",
                "embedded:?memory=much | a size is a whole number and a unit",
                "embedded:?servers=two | servers is a number",
                "embedded:?servers=200 | 1 to 128 memory servers",
                "embedded:?memory=1m | at least 16m",
                "embedded:?memory=1g&servers=2&memory=2g | says memory twice",
                "embedded:?disk=1g | the options memory and servers"
            })
    void othersAreRefused(String url, String message) {
        assertThatThrownBy(() -> ShellUrl.parse(url))
                .isInstanceOf(ShellException.class)
                .hasMessageContaining(message);
    }
}
