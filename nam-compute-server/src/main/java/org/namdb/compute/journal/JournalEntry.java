package org.namdb.compute.journal;

/// An entry of the journal, as bytes: what it is, and its body, which has a multiple of 8 bytes.
/// ```
///        63                               32 31                                0
/// entry | kind                              | bytes of the body                 |   0
///       | the body                                                              |   8
/// ```
final class JournalEntry {
    static final int HEAD_BYTES = 8;

    /// What an entry can be.
    enum Kind {
        /// Where none begins: what is not written is zero.
        NOTHING,
        /// A generation begins: the tables that there are, under the numbers that they have now.
        START,
        /// The image of a commit.
        COMMIT,
        /// Tables as they are from now on, and dropped tables.
        SCHEMA_CHANGE,
        /// A schema change of several steps begins: its steps count when it has ended.
        STEPS_BEGIN,
        /// It has ended.
        STEPS_END,
        /// The generation has ended, and all is written.
        END,
        /// A [Cut], in the journal of a memory server.
        CUT;

        private static final Kind[] ALL = values();

        static Kind ofCode(int code) {
            return code < 0 || code >= ALL.length ? NOTHING : ALL[code];
        }
    }

    private JournalEntry() {}

    static long head(Kind kind, int bytes) {
        return (long) kind.ordinal() << 32 | bytes;
    }

    static Kind kind(long head) {
        return Kind.ofCode((int) (head >>> 32));
    }

    static int bytes(long head) {
        return (int) head;
    }
}
