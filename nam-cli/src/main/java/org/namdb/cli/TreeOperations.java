package org.namdb.cli;

import java.util.SplittableRandom;
import org.namdb.cache.frame.GuardSession;
import org.namdb.cache.tree.LineTree;
import org.namdb.ycsb.Zipfian;

/// YCSB's reads and updates of values in a tree of lines or pages, as in SELCC's figures 17 and 18
/// and in ScaleStore's: keys and values are words. Belongs to one thread.
final class TreeOperations implements LineClients.Operations {
    private final GuardSession session;
    private final LineTree tree;
    private final Keys keys;
    private final int readPercent;
    private final SplittableRandom random;

    /// Draws keys. Belongs to one thread.
    @FunctionalInterface
    interface Keys {
        long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

        /// The next key, of those that the tree has.
        long next(SplittableRandom random);

        /// A key by its number: those that follow each other lie anywhere.
        static long scattered(long number) {
            return number * GOLDEN;
        }

        /// The [scattered][#scattered(long)] keys of the numbers below `count`.
        ///
        /// @param theta the skew of a Zipfian distribution; 0 for a uniform one
        static Keys scattered(int count, double theta) {
            if (theta == 0) {
                return random -> scattered(random.nextInt(count));
            }
            Zipfian zipfian = new Zipfian(count, theta);
            return random -> scattered(zipfian.next(random));
        }
    }

    /// @param root of a tree that has all keys
    TreeOperations(GuardSession session, long root, Keys keys, int readPercent, long seed) {
        this.session = session;
        this.tree = new LineTree(session, root);
        this.keys = keys;
        this.readPercent = readPercent;
        this.random = new SplittableRandom(seed);
    }

    @Override
    public void next() {
        long key = keys.next(random);
        boolean isThere =
                random.nextInt(100) < readPercent
                        ? tree.find(key, -1) != -1
                        : tree.update(key, random.nextInt(Integer.MAX_VALUE));
        if (!isThere) {
            throw new IllegalStateException("the tree has lost a key");
        }
    }

    @Override
    public GuardSession session() {
        return session;
    }

    @Override
    public void close() {
        session.close();
    }
}
