package org.namdb.compute;

import java.util.List;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.SchemaTable;
import org.namdb.compute.schema.Table;
import org.namdb.compute.schema.TableReplacement;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// The tables and indexes that there are, and how they are changed: those of a [database][NamDb],
/// or as [one transaction][TransactionSchema] has changed them that is not committed yet.
public interface Schema {
    EmbeddedOptions options();

    /// A positive number that no other call returns, in any process or after a restart.
    long uniqueNumber();

    /// The table of this name with its definition; null if there is none.
    @Nullable SchemaTable describe(String name);

    /// The table of this name; null if there is none.
    default @Nullable Table findTable(String name) {
        SchemaTable table = describe(name);
        return table == null ? null : table.stored();
    }

    /// The table of this name.
    ///
    /// @throws IllegalArgumentException if there is none
    default Table table(String name) {
        return described(name).stored();
    }

    /// The table of this name with its definition.
    ///
    /// @throws IllegalArgumentException if there is none
    default SchemaTable described(String name) {
        SchemaTable table = describe(name);
        if (table == null) {
            throw new IllegalArgumentException(
                    "there is no table " + name + "; there are " + tableNames());
        }
        return table;
    }

    /// The names of all tables, in order.
    List<String> tableNames();

    /// The index of this name, filled or not; null if there is none.
    @Nullable Index findAnyIndex(String name);

    /// The index of this name; null if there is none, or if it is just being filled.
    default @Nullable Index findIndex(String name) {
        Index index = findAnyIndex(name);
        return index != null && index.isFilled() ? index : null;
    }

    /// The index of this name that is not filled: what fills it has failed or died, or fails when
    /// the index is dropped. Null if there is none.
    default @Nullable Index findUnfilledIndex(String name) {
        Index index = findAnyIndex(name);
        return index == null || index.isFilled() ? null : index;
    }

    /// Another number after every change that is found here: of this compute server at once, of
    /// others before its next transaction begins, or when it looks a table up. A read of one word,
    /// for plan caches.
    long schemaVersion();

    /// Makes a table. Changes the schema as [#dropIndex] does.
    ///
    /// @throws IllegalArgumentException if there is one of this name, its key or its records are
    ///     too long, or it names a memory server that is not there
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for its bucket array
    Table createTable(TableDefinition definition);

    /// Makes a secondary index, and fills it from the table; others may write to the table while it
    /// is filled.
    ///
    /// @throws IllegalArgumentException if there is one of this name, or no such table or column
    /// @throws org.namdb.compute.schema.SchemaBusyException if running transactions don't end in
    ///     time; nothing has changed
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for it; nothing has changed
    default Index createIndex(IndexDefinition definition) {
        return createIndex(definition, _ -> {});
    }

    /// The same for a table that may be large.
    ///
    /// @param progress gets now and then how many more rows were read. What it throws ends the
    ///     build, and nothing is left of the index
    Index createIndex(IndexDefinition definition, LongConsumer progress);

    /// Drops an index. Like every change of a database's schema, it waits until no transaction
    /// runs, in this compute server and in all others that are attached to the database; those that
    /// begin meanwhile wait for it. A change that is part of a transaction waits at its commit.
    ///
    /// @throws IllegalArgumentException if there is none of this name
    /// @throws org.namdb.compute.schema.SchemaBusyException if running transactions don't end in
    ///     time; nothing has changed
    /// @throws IllegalStateException if a transaction of this very thread runs that it is no part
    ///     of
    void dropIndex(String name);

    /// Drops a table and its indexes, as [#dropIndex] does. Using the [Table] afterwards is an
    /// IllegalStateException.
    void dropTable(String name);

    /// Makes a table empty, as [#dropIndex] changes the schema.
    ///
    /// @return the table in the place of the one that there was, which can't be used any more
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for an empty one in
    ///     addition to it; nothing has changed
    Table truncate(String name);

    /// Gives a table another name, as [#dropIndex] changes the schema.
    ///
    /// @return the table in the place of the one that there was, which can't be used any more
    /// @throws IllegalArgumentException if there is one of the new name
    default Table renameTable(String name, String newName) {
        return redefine(name, described(name).definition().copy(newName).build());
    }

    /// Gives a table other properties, its columns other names, and itself another name, as
    /// [#dropIndex] changes the schema. No row is touched.
    ///
    /// @param definition the table's but for names and properties; columns in the same order
    /// @return the table in the place of the one that there was, which can't be used any more
    /// @throws IllegalArgumentException if anything else has changed
    Table redefine(String name, TableDefinition definition);

    /// Puts another table in the place of one, and copies all rows, as [#dropIndex] changes the
    /// schema: for other columns, another primary key, another physical design. Indexes are
    /// rebuilt, except those of columns that the new table lacks: they are dropped. Takes two
    /// sessions, memory for both tables, and not longer than the maximum transaction time.
    ///
    /// @return the table in the place of the one that there was, which can't be used any more
    /// @throws TransactionException if rows can't be inserted, because keys are the same or memory
    ///     is full; nothing has changed
    default Table replaceTable(String name, TableDefinition definition, RowMapping mapping) {
        return replaceTable(name, old -> TableReplacement.of(old, definition), mapping);
    }

    /// Does the same with the indexes of a replacement, and with further tables that `mapping`
    /// fills: all take their places at once, or none does if this process dies.
    ///
    /// @param replacement what takes the place of the table, which it gets
    Table replaceTable(
            String name, Function<SchemaTable, TableReplacement> replacement, RowMapping mapping);
}
