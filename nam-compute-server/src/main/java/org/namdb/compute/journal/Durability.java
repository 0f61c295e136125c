package org.namdb.compute.journal;

import java.util.Locale;

/// What an acknowledged commit of a database with a data directory has outlived.
public enum Durability {
    /// A crash of the machine: a commit, or a read of what was committed, is acknowledged when the
    /// journal was forced to the disk.
    SYNC,
    /// Almost the crash of the machine: the journal is forced every so often, and what was
    /// acknowledged since the last time may be lost. What is lost is the end of the journal:
    /// nothing remains that has relied on it.
    ASYNC,
    /// Almost the end of the process: the journal is written every so often, and never forced but
    /// at the end. After a crash of the machine, what is there may end anywhere.
    NONE;

    /// As options name it.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
