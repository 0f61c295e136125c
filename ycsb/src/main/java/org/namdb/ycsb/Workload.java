package org.namdb.ycsb;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.namdb.workload.TransactionKind;

/// Which operations are run, and on which records: the core workloads of YCSB (table 2 of its
/// paper), and those of the tree-index paper (table 3), whose reads and ranges go by the index.
@SuppressWarnings(
        "ImmutableEnumChecker") // the lists are copies, and records of strings and numbers
public enum Workload {
    /// Update heavy.
    A(false, Requests.ZIPFIAN, new Share(Operation.READ, 50), new Share(Operation.UPDATE, 50)),
    /// Read heavy.
    B(false, Requests.ZIPFIAN, new Share(Operation.READ, 95), new Share(Operation.UPDATE, 5)),
    /// Read only.
    C(false, Requests.ZIPFIAN, new Share(Operation.READ, 100)),
    /// Read latest.
    D(false, Requests.LATEST, new Share(Operation.READ, 95), new Share(Operation.INSERT, 5)),
    /// Short ranges.
    E(false, Requests.ZIPFIAN, new Share(Operation.SCAN, 95), new Share(Operation.INSERT, 5)),
    /// Read, modify, write.
    F(
            false,
            Requests.ZIPFIAN,
            new Share(Operation.READ, 50),
            new Share(Operation.READ_MODIFY_WRITE, 50)),
    /// Point queries.
    TREE_A(true, Requests.UNIFORM, new Share(Operation.READ, 100)),
    /// Range queries.
    TREE_B(true, Requests.UNIFORM, new Share(Operation.SCAN, 100)),
    /// Point queries and few inserts.
    TREE_C(true, Requests.UNIFORM, new Share(Operation.READ, 95), new Share(Operation.INSERT, 5)),
    /// Point queries and many inserts.
    TREE_D(true, Requests.UNIFORM, new Share(Operation.READ, 50), new Share(Operation.INSERT, 50));

    /// An operation, and how many of a hundred it is.
    record Share(Operation operation, int percent) {}

    /// An operation as a kind of transaction of one workload.
    record Kind(int index, Operation operation) implements TransactionKind {
        @Override
        public String label() {
            return operation.label();
        }
    }

    private final boolean ofTree;
    private final Requests requests;
    private final List<Share> shares;
    private final List<Kind> kinds;

    Workload(boolean ofTree, Requests requests, Share... shares) {
        this.ofTree = ofTree;
        this.requests = requests;
        this.shares = List.of(shares);
        List<Kind> all = new ArrayList<>();
        for (Share share : shares) {
            all.add(new Kind(all.size(), share.operation()));
        }
        kinds = List.copyOf(all);
    }

    /// Whether it is one of the tree-index paper: reads go by the index, ranges have a selectivity.
    public boolean isOfTree() {
        return ofTree;
    }

    /// Which records are read, unless an option sets it.
    public Requests requests() {
        return requests;
    }

    /// Its operations, as kinds of transactions.
    List<Kind> kinds() {
        return kinds;
    }

    /// How many of a hundred operations are of a kind.
    int percent(Kind kind) {
        return shares.get(kind.index()).percent();
    }

    /// Whether it has the operation.
    boolean has(Operation operation) {
        return kinds.stream().anyMatch(kind -> kind.operation() == operation);
    }

    /// The kind of an operation, by a number of 0 to 99.
    Kind at(int draw) {
        int below = 0;
        for (int i = 0; i < shares.size(); i++) {
            below += shares.get(i).percent();
            if (draw < below) {
                return kinds.get(i);
            }
        }
        throw new IllegalArgumentException(draw + " is not below 100");
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
