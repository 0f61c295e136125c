package org.namdb.compute.read;

/// What tests of the engine need of a row, and programs don't.
public final class RowFixture {
    private RowFixture() {}

    /// Where the record's header lies.
    public static long headerAddress(Row row) {
        return row.read.headerAddress();
    }
}
