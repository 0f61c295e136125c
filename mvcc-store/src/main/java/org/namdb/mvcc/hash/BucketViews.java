package org.namdb.mvcc.hash;

import org.namdb.fabric.QueuePair;

/// The views of a validated read of whole buckets that lie one behind the other: headers and keys
/// before, everything, headers and keys again.
final class BucketViews {
    long leading;
    long body;
    long trailing;

    /// Posts the READs of `bytes` bytes from the start of a bucket.
    void post(QueuePair queuePair, long address, int bytes) {
        long first = queuePair.readLeading(address, bytes);
        body = queuePair.read(address, bytes);
        leading = first == 0 ? body : first;
        trailing = queuePair.read(address, bytes);
    }

    /// Posts the READs of one bucket: of its headers and keys, all of it, and those once more.
    void postWithDirectories(QueuePair queuePair, long address, int directoryBytes, int readBytes) {
        long first = queuePair.readLeading(address, directoryBytes);
        body = queuePair.read(address, readBytes);
        leading = first == 0 ? body : first;
        trailing = queuePair.read(address, directoryBytes);
    }

    /// Is at the same place as `other`.
    void set(BucketViews other) {
        leading = other.leading;
        body = other.body;
        trailing = other.trailing;
    }

    /// Goes on to the next bucket of those that were read.
    void skip(int bytes) {
        leading += bytes;
        body += bytes;
        trailing += bytes;
    }
}
