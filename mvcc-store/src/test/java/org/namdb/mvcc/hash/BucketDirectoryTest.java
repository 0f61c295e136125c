package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.hash.SplitFixture.Client;

/// What a process knows of the parts of split buckets.
class BucketDirectoryTest {
    private static final int GROUPS = 60;

    /// ```
    /// y   READs the head: the word of level 1, which is null
    /// x   adds level 1, and knows it
    /// y   READs the head: the depth, which counts level 1; takes both
    /// ```
    @Test
    void aHeadThatIsReadWhileALevelIsAddedTakesNoKnownLevelAway() {
        try (SplitFixture fixture = new SplitFixture(false, true)) {
            for (int group = 0; group < GROUPS; group++) {
                fixture.split(group);
            }
            Client client = fixture.new Client();
            QueuePair queuePair = client.queuePair;
            BucketDirectory directory = client.table.directory(0);
            directory.readHead(queuePair);
            long before = directory.place(queuePair, 1, 3);
            assertThat(RemoteAddress.isNull(before)).isFalse();
            long word = client.table.head(0) + TableHead.levelOffset(1);
            long level = queuePair.readWord(word);
            queuePair.writeWord(word, RemoteAddress.NULL);
            queuePair.await();
            directory.readHead(queuePair);
            queuePair.writeWord(word, level);
            queuePair.await();
            assertThat(directory.place(queuePair, 1, 3)).isEqualTo(before);
        }
    }
}
