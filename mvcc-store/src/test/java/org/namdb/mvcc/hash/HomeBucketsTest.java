package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Seeds;
import org.namdb.mvcc.hash.SplitFixture.Client;

class HomeBucketsTest {
    @Test
    void everyBucketThatSplitsHaveMadeIsVisitedOnce() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (SplitFixture fixture = new SplitFixture(false, true)) {
            Client client = fixture.new Client();
            assertThat(visited(client)).hasSize(SplitFixture.ROOTS);
            for (int splits = 1; splits <= 300; splits++) {
                fixture.split(random.nextInt(1000));
                if (splits % 50 == 0) {
                    assertThat(visited(client))
                            .containsExactlyInAnyOrderElementsOf(fixture.homes());
                }
            }
        }
    }

    private static List<Long> visited(Client client) {
        HomeBuckets homes = new HomeBuckets(client.queuePair);
        homes.startOn(client.table, 1);
        assertThat(homes.next()).as("nothing of it is on server 1").isFalse();
        homes.start(client.table);
        List<Long> visited = new ArrayList<>();
        while (homes.next()) {
            visited.add(homes.address());
        }
        return visited;
    }
}
