package org.namdb.compute.schema;

import java.util.List;

/// The users of tables and indexes in this compute server, as schema changes see them: they drop
/// what they have cached of a table or an index before its memory is freed. Called only under the
/// closed schema latch, except where a method says otherwise.
public interface SchemaUsers {
    /// The slots of those that have a transaction or background maintenance. Called at any time.
    List<Integer> running();

    /// Called at any time.
    ///
    /// @throws IllegalStateException if a transaction of this very thread runs
    void requireNoTransaction();

    /// The table is dropped, and its indexes with it.
    void forget(Table table);

    /// The index is dropped.
    void forget(Index index);

    /// The table is opened again where it is, as another object.
    void release(Table table);

    /// A memory server is full: has sessions collect garbage and free what they don't use, idle
    /// ones at once, and the others when their transactions have ended. At any time.
    void freeMemory();

    /// Returns memory that is not in use to the memory servers.
    void releaseMemory();
}
