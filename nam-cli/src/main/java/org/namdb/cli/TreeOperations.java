package org.namdb.cli;

import java.util.SplittableRandom;
import org.namdb.cache.selcc.LineSession;
import org.namdb.cache.tree.LineTree;
import org.namdb.ycsb.Zipfian;

/// YCSB's reads and updates of values in a tree of lines, as in SELCC's figures 17 and 18: keys and
/// values are words. Belongs to one thread.
final class TreeOperations implements LineClients.Operations {
    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

    private final LineSession session;
    private final LineTree tree;
    private final int keys;
    private final int readPercent;
    private final Zipfian zipfian;
    private final boolean isUniform;
    private final SplittableRandom random;

    /// @param keys how many there are
    /// @param theta the skew of a Zipfian distribution; 0 for a uniform one
    TreeOperations(
            LineSession session, long root, int keys, int readPercent, double theta, long seed) {
        this.session = session;
        this.tree = new LineTree(session, root);
        this.keys = keys;
        this.readPercent = readPercent;
        this.isUniform = theta == 0;
        this.zipfian = new Zipfian(keys, isUniform ? 0.5 : theta);
        this.random = new SplittableRandom(seed);
    }

    /// A key by its number: those that follow each other lie anywhere.
    static long key(long number) {
        return number * GOLDEN;
    }

    @Override
    public void next() {
        long key = key(isUniform ? random.nextInt(keys) : zipfian.next(random));
        boolean isThere =
                random.nextInt(100) < readPercent
                        ? tree.find(key, -1) != -1
                        : tree.update(key, random.nextInt(keys));
        if (!isThere) {
            throw new IllegalStateException("the tree has lost a key");
        }
    }

    @Override
    public LineSession lines() {
        return session;
    }

    @Override
    public void close() {
        session.close();
    }
}
