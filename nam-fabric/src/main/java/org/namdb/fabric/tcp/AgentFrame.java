package org.namdb.fabric.tcp;

import org.namdb.fabric.LocalMemory;

/// What goes over a connection between a compute server and an [Agent]: frames, each of whole
/// words, in the byte order of the machines (a cluster has one).
/// ```
/// word   63      56 55                            32 31                              0
///    0  |   kind   |             code               |         bytes of the frame      |
///    1  |           queue pair           |             batch, or number of the call   |
///    2  ...
/// ```
/// The frames of a connection that is being opened are in [Handshake]. Afterwards:
/// ```
/// VERBS    word 2: | first verb, 32 | verbs, 32 |  then the verbs, one after the other
/// REPLY    word 2: | first verb, 32 | done, 32  |  then what the verbs that are done have landed;
///          code: 0, or what has kept the next verb from being done (a FabricException.Kind + 1)
/// CALL     word 2: | server, 32 | bytes, 32 |      then the request, filled up to a whole word;
///          word 3: the longest reply that the client takes
/// ANSWER   word 2: | server, 32 | bytes, 32 |      then the reply, filled up; code as in REPLY
/// CONTROL  word 2: | what, 32 | bytes, 32 |        then its arguments; answered by ANSWER
/// ```
/// A verb:
/// ```
/// word   63  60 59                      32 31                              0
///    0  |  op  |          bytes           |              region key           |
///    1  |                          remote address                             |
///    2  WRITE: the bytes; WRITE_WORD: the word; CAS: expected, desired; FAA: what is added
/// ```
/// In place of its bytes an atomic has its number among the atomics of the batch.
///
/// A batch is what a queue pair has posted between two awaits to the memory servers of one agent;
/// it may take several frames, and its verbs are numbered through. Calls are frames of the batch,
/// one for each memory server at the most; each is answered when it was handled. A queue pair has
/// one batch, or one CONTROL, under way on a connection.
final class AgentFrame {
    static final int VERBS = 16;
    static final int REPLY = 17;
    static final int CALL = 18;
    static final int ANSWER = 19;
    static final int CONTROL = 20;

    static final int HEAD_BYTES = 24;

    /// The head of a CALL.
    static final int CALL_BYTES = 32;

    static final int READ = 1;
    static final int WRITE = 2;
    static final int WRITE_WORD = 3;
    static final int COMPARE_AND_SWAP = 4;
    static final int FETCH_AND_ADD = 5;

    static final int VERB_BYTES = 16;

    /// What one verb moves at the most.
    static final int MAX_VERB_BYTES = (1 << 28) - 8;

    /// The largest frame that an agent takes.
    static final int MAX_BYTES = 17 << 20;

    /// The largest message of a call.
    static final int MAX_MESSAGE_BYTES = 16 << 20;

    /// CONTROL: the client is this process of the cluster.
    static final int ENROLL = 1;

    /// CONTROL: refuse this process from now on.
    static final int FENCE = 2;

    /// CONTROL: which regions there are.
    static final int REGIONS = 3;

    /// CONTROL: what the agent has done so far.
    static final int STATISTICS = 4;

    /// CONTROL: the client goes, and does not come back.
    static final int LEAVE = 5;

    /// CONTROL: the client has mapped the file of this memory server's region, as the process of
    /// this number in this namespace, and uses the mapping if the answer is 1.
    static final int MAP = 6;

    /// CONTROL: answered when all calls that have come before are done.
    static final int SETTLE = 7;

    private AgentFrame() {}

    /// How long the arguments of a CONTROL are; below 0 if there is none of this kind.
    static int argumentBytes(int what) {
        return switch (what) {
            case ENROLL, FENCE -> Long.BYTES;
            case MAP -> 3 * Long.BYTES;
            case REGIONS, STATISTICS, LEAVE, SETTLE -> 0;
            default -> -1;
        };
    }

    /// Writes the first two words.
    static void putHead(long at, int kind, int code, int bytes, int queuePair, int batch) {
        assert bytes > 0 && (bytes & 7) == 0 : "a frame of " + bytes + " bytes";
        LocalMemory.putLong(at, (long) kind << 56 | (long) code << 32 | bytes);
        LocalMemory.putLong(at + 8, pair(queuePair, batch));
    }

    /// Two halves of a word.
    static long pair(int high, int low) {
        return (long) high << 32 | low & 0xffff_ffffL;
    }

    static int high(long word) {
        return (int) (word >>> 32);
    }

    static int low(long word) {
        return (int) word;
    }

    static int kind(long head) {
        return (int) (head >>> 56);
    }

    static int code(long head) {
        return (int) (head >>> 32) & 0xff_ffff;
    }

    /// The length in the frame: any number that the sender has put there.
    static int bytes(long head) {
        return (int) head;
    }

    /// The first word of a verb.
    static long verb(int op, int bytes, int key) {
        assert bytes >= 0 && bytes <= MAX_VERB_BYTES : bytes + " bytes";
        return (long) op << 60 | (long) bytes << 32 | key & 0xffff_ffffL;
    }

    static int op(long verb) {
        return (int) (verb >>> 60);
    }

    static int verbBytes(long verb) {
        return (int) (verb >>> 32) & 0xfff_ffff;
    }

    static int key(long verb) {
        return (int) verb;
    }

    /// How long a verb is in a frame; 0 if there is none of this kind.
    static long length(long verb) {
        return switch (op(verb)) {
            case READ -> VERB_BYTES;
            case WRITE -> VERB_BYTES + (long) verbBytes(verb);
            case WRITE_WORD, FETCH_AND_ADD -> VERB_BYTES + 8;
            case COMPARE_AND_SWAP -> VERB_BYTES + 16;
            default -> 0;
        };
    }

    /// A length filled up to whole words.
    static int padded(int bytes) {
        return bytes + 7 & -8;
    }
}
