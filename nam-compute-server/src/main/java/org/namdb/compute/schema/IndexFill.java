package org.namdb.compute.schema;

/// Fills a new index from its table, which writers keep up meanwhile. What it needs for that, it
/// has from the start, so that nothing else can fail behind the gate.
public interface IndexFill extends AutoCloseable {
    /// Takes the snapshot that the index is filled from. Called behind the closed gate, when all
    /// writers know the index.
    void begin(Table table, Index index);

    /// Fills it. Called when the gate is open again.
    void run();

    @Override
    void close();
}
