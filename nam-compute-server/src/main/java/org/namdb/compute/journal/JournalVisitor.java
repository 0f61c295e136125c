package org.namdb.compute.journal;

import java.util.List;

/// Gets the entries of a journal in their order.
interface JournalVisitor {
    /// A generation begins.
    ///
    /// @param generation its number
    /// @param tables those that there are then
    void start(int generation, List<DefinedTable> tables);

    /// A commit.
    ///
    /// @param memory the native address of its image, which is valid during the call
    void commit(int generation, long memory, int bytes);

    /// A schema change, or a step of one.
    void definition(int generation, DefinedTable.Change change);

    /// A schema change of several steps begins.
    ///
    /// @param endsWithCommit whether it takes effect with the next commit
    void ddlBegins(boolean endsWithCommit);

    /// All its steps were made.
    void ddlEnds(int generation);

    /// A cut, in the journal of a memory server.
    default void cut(Cut cut) {
        // Other journals have none.
    }
}
