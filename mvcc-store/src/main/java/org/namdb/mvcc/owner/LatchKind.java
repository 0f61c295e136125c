package org.namdb.mvcc.owner;

/// What a latch protects.
public enum LatchKind {
    /// The entries of a home bucket and of its overflow areas.
    BUCKET("bucket"),
    /// A node of a B-link tree.
    TREE_NODE("tree node");

    private final String label;

    LatchKind(String label) {
        this.label = label;
    }

    /// Its name for people.
    public String label() {
        return label;
    }
}
