package org.namdb.compute;

/// The same commits with their changes packed, as those of large transactions are.
class FailedPackedCommitTest extends FailedCommitTest {
    @Override
    void changed(Transaction tx) {
        tx.readSet().pack();
    }
}
