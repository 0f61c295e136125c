package org.namdb.compute.schema;

import java.util.List;

/// Those of this compute server who use tables and indexes, as changes of the schema see them: what
/// they remember of a table or an index goes before its memory does. Called only behind the closed
/// gate, except where a method says otherwise.
public interface SchemaUsers {
    /// The slots of those that have a transaction or background work. Called at any time.
    List<Integer> running();

    /// Called at any time.
    ///
    /// @throws IllegalStateException if a transaction of this very thread runs
    void requireNoTransaction();

    /// The table goes, and its indexes with it.
    void forget(Table table);

    /// The index goes.
    void forget(Index index);

    /// The table is opened again where it is, as another object.
    void release(Table table);

    /// A memory server is full: has sessions take garbage away and give back what they don't use,
    /// those at rest at once, and the others when their transactions have ended. At any time.
    void makeRoom();

    /// Gives memory that is not in use back to the memory servers.
    void releaseMemory();
}
