package org.namdb.fabric;

/// The one-sided verbs, for tests of what is the same for all of them.
enum Verb {
    READ {
        @Override
        void post(QueuePair queuePair, long address, int bytes) {
            queuePair.read(address, bytes);
        }
    },
    WRITE {
        @Override
        void post(QueuePair queuePair, long address, int bytes) {
            queuePair.write(address, queuePair.localMemory(SOURCE_BYTES), bytes);
        }
    },
    WRITE_WORD {
        @Override
        void post(QueuePair queuePair, long address, int bytes) {
            queuePair.writeWord(address, 42);
        }
    },
    COMPARE_AND_SWAP {
        @Override
        void post(QueuePair queuePair, long address, int bytes) {
            queuePair.compareAndSwap(address, 0, 42);
        }
    },
    FETCH_AND_ADD {
        @Override
        void post(QueuePair queuePair, long address, int bytes) {
            queuePair.fetchAndAdd(address, 42);
        }
    };

    private static final int SOURCE_BYTES = 4096;

    /// Posts the verb; `bytes` is the size of a READ or a WRITE, the others take a word.
    abstract void post(QueuePair queuePair, long address, int bytes);

    boolean hasSize() {
        return this == READ || this == WRITE;
    }
}
