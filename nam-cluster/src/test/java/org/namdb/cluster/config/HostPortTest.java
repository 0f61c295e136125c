package org.namdb.cluster.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostPortTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.1:7400, 10.0.0.1, 7400",
        "memory-0.a.b:1, memory-0.a.b, 1",
        "[::1]:65535, ::1, 65535"
    })
    void anAddressIsAHostAndAPort(String text, String host, int port) {
        assertThat(HostPort.parse(text)).isEqualTo(new HostPort(host, port)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", ":1", "a:", "a:65536", "a:-1", "a b:1", "::1:7"})
    void anInvalidValueIsRefused(String text) {
        assertThatThrownBy(() -> HostPort.parse(text))
                .hasMessage(
                        "an address is a host and a port as in 10.0.0.1:7400, not '" + text + "'");
    }
}
