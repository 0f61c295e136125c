package org.namdb.cluster.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizeTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "4096, 4096",
        "1k, 1024",
        "512m, 536870912",
        "8g, 8589934592",
        "8G, 8589934592",
        "8GB, 8589934592",
        "8 GiB, 8589934592",
        "2t, 2199023255552"
    })
    void sizesAreRead(String text, long bytes) {
        assertThat(ByteSize.parse(text)).isEqualTo(new ByteSize(bytes));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "g", "-1g", "1.5g", "8x", "8gg", "99999999999999t", "9999999999999999"})
    void anInvalidSizeIsRefused(String text) {
        assertThatThrownBy(() -> ByteSize.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a size is a whole number and a unit as in 512m or 8g, not '" + text + "'");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 bytes",
        "1023, 1023 bytes",
        "1024, 1 KiB",
        "1536, 1.5 KiB",
        "134217728, 128 MiB",
        "9223372036854775807, 8388608 TiB"
    })
    void sizesAreDescribed(long bytes, String text) {
        assertThat(ByteSize.describe(bytes)).isEqualTo(text);
    }
}
