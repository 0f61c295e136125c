package org.namdb.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class RegionTest {
    @Test
    void aRegionHasAServerThatAnAddressCanName() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Region(-1, 8, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Region(RemoteAddress.MAX_SERVERS, 8, 0));
        assertThat(new Region(RemoteAddress.MAX_SERVERS - 1, 8, 0).server()).isEqualTo(127);
    }

    @Test
    void aRegionHasASizeThatAnAddressCanReach() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Region(0, 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new Region(0, -8, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Region(0, RemoteAddress.OFFSET_LIMIT + 1, 0));
        assertThat(new Region(0, RemoteAddress.OFFSET_LIMIT, 0).bytes()).isEqualTo(1L << 56);
    }
}
