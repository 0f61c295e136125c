package org.namdb.compute.schema;

import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.namdb.mvcc.schema.IndexDefinition;

/// Fills a new index from its table, while writers maintain it. It acquires all that it needs at
/// the start, so that nothing else can fail under the schema latch.
public interface IndexFill extends AutoCloseable {
    /// Finds where the ranges begin into which an index is to be divided, by a sample of its
    /// table's rows. Called before there is an index.
    ///
    /// @param table called while a transaction of this fill runs
    /// @return the definition with bounds; the same one if it is not to be divided by ranges, has
    ///     bounds that fit, or the table is empty
    IndexDefinition divided(IndexDefinition definition, Supplier<Table> table);

    /// Takes the snapshot that the index is filled from. Called under the schema latch, when all
    /// writers maintain the index.
    void begin(Table table, Index index);

    /// Fills it. Called when the schema latch is open again.
    ///
    /// @param progress gets now and then how many more rows were read. What it throws ends the fill
    void run(LongConsumer progress);

    /// Runs what must not meet a schema change in a transaction of its own.
    void inTransaction(Runnable work);

    @Override
    void close();
}
