package org.namdb.memory.server;

/// The words of a region that belong to its server alone: no verb of others changes them. A server
/// that dies between any two changes of words leaves the first one done and the second one not.
interface RegionWords {
    /// The word at an offset.
    long word(long offset);

    /// Changes the word at an offset.
    void put(long offset, long word);
}
