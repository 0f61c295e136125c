package org.namdb.sql.engine.bind;

/// Which rows a join gives.
public enum JoinKind {
    /// Pairs.
    INNER,
    /// Pairs, and left rows without a partner.
    LEFT,
    /// Pairs, and rows of both sides without a partner.
    FULL,
    /// Left rows with a partner, once each.
    SEMI,
    /// Left rows without a partner.
    ANTI,
    /// Left rows for which `NOT IN` is true: without a partner, and neither the row's value nor any
    /// of the right ones is NULL, unless there are no right ones.
    NOT_IN;

    /// Whether only left rows are given.
    public boolean isHalf() {
        return switch (this) {
            case INNER, LEFT, FULL -> false;
            case SEMI, ANTI, NOT_IN -> true;
        };
    }
}
