package org.namdb.simulated.tearing;

/// A verb between its post and its effect. Used again for another verb afterwards.
final class PostedVerb {
    enum Kind {
        READ,
        WRITE,
        WRITE_WORD,
        COMPARE_AND_SWAP,
        FETCH_AND_ADD,
        REQUEST
    }

    Kind kind = Kind.READ;

    /// The native address of the remote memory.
    long remote;

    /// Where the result lands: of a READ, of the atomics and of a request.
    long view;

    /// The size of a READ, of a WRITE and of a request.
    int bytes;

    /// A WRITE's or a request's source, the word to write, the word that is expected, or what to
    /// add.
    long operand;

    /// The new value of a compare-and-swap.
    long desired;

    /// The memory server of a request, and how long its reply may be.
    int server;

    int replyBytes;
}
