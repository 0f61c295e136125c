package org.namdb.ycsb;

/// What a transaction does.
public enum Operation {
    /// Reads all fields of a record: by its key, or by the ordered index in the workloads of the
    /// tree-index paper.
    READ("Read"),
    /// Writes one field of a record.
    UPDATE("Update"),
    /// Adds a record.
    INSERT("Insert"),
    /// Reads the records of a range of the ordered index.
    SCAN("Scan"),
    /// Reads all fields of a record, and writes one.
    READ_MODIFY_WRITE("ReadModifyWrite");

    private final String label;

    Operation(String label) {
        this.label = label;
    }

    /// The name that people and result files use.
    public String label() {
        return label;
    }
}
