package org.namdb.mvcc.recovery;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.tree.BLinkTree;

/// The tables and indexes of the database, by their numbers, which intents name.
public interface Tables {
    /// The records of a table; null if it was dropped, so that its memory is none of the dead
    /// slot's.
    @Nullable HashTable records(int table);

    /// A hashed index; null if it was dropped.
    @Nullable HashTable index(int index);

    /// The trees of all ordered indexes.
    List<BLinkTree> trees();
}
