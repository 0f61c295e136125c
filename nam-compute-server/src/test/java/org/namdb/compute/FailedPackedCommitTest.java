package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// The same commits with their changes packed, as those of large transactions are.
class FailedPackedCommitTest extends FailedCommitTest {
    @Override
    void changed(Transaction tx) {
        tx.readSet().pack();
    }

    @Test
    @Override
    void aCommitThatIsCancelledIsRolledBackOrDone() {
        cancelAtEachStep();
        assertThat(cancelled).isPositive();
    }
}
