package org.namdb.compute.schema;

/// Fills a new index from its table, while writers maintain it. It acquires all that it needs at
/// the start, so that nothing else can fail under the schema latch.
public interface IndexFill extends AutoCloseable {
    /// Takes the snapshot that the index is filled from. Called under the schema latch, when all
    /// writers maintain the index.
    void begin(Table table, Index index);

    /// Fills it. Called when the schema latch is open again.
    void run();

    @Override
    void close();
}
