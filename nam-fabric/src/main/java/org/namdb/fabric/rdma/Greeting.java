package org.namdb.fabric.rdma;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import org.namdb.fabric.TokenProof;

/// The first messages of a connection, by which both sides prove that they have the cluster's token
/// before one of them gets anything of the other's memory.
/// ```
/// compute server                               memory server
/// HELLO    a random number                 ->
///                                          <-  another one
/// OPEN     its client, its region,
///          proof of that and both numbers  ->
///                                          <-  the connection's number, proof of that and both
///                                          or  NOT_TRUSTED
/// ```
/// It keeps keys from strangers. It can't keep a stranger from guessing them: the card checks
/// nothing else.
final class Greeting {
    static final int RANDOM_BYTES = 16;

    /// A client's message: its fabric, process, memory server and key.
    static final int OPENING_BYTES = 20;

    private static final String CLIENT = "client";
    private static final String SERVER = "server";
    private static final SecureRandom RANDOM = new SecureRandom();

    private Greeting() {}

    static byte[] random() {
        byte[] random = new byte[RANDOM_BYTES];
        RANDOM.nextBytes(random);
        return random;
    }

    /// Both random numbers, the client's first.
    static byte[] both(byte[] hello, byte[] answer) {
        return ByteBuffer.allocate(hello.length + answer.length).put(hello).put(answer).array();
    }

    /// A client's message, with a proof behind it.
    static byte[] provenByClient(byte[] token, byte[] greeting, byte[] said) {
        return both(said, TokenProof.of(token, CLIENT, greeting, said));
    }

    /// Whether a client's message is proven.
    static boolean isClientProven(byte[] token, byte[] greeting, byte[] said) {
        return greeting.length == 2 * RANDOM_BYTES
                && said.length == OPENING_BYTES + TokenProof.BYTES
                && isProven(token, CLIENT, greeting, said);
    }

    /// What a memory server answers, with a proof behind it.
    static byte[] provenByServer(byte[] token, byte[] greeting, byte[] said) {
        return both(said, TokenProof.of(token, SERVER, greeting, said));
    }

    /// Whether what a memory server has answered is proven.
    static boolean isServerProven(byte[] token, byte[] greeting, byte[] said) {
        return isProven(token, SERVER, greeting, said);
    }

    private static boolean isProven(byte[] token, String side, byte[] greeting, byte[] said) {
        int bytes = said.length - TokenProof.BYTES;
        return bytes >= 0
                && TokenProof.isEqual(
                        Arrays.copyOfRange(said, bytes, said.length),
                        TokenProof.of(token, side, greeting, Arrays.copyOf(said, bytes)));
    }
}
