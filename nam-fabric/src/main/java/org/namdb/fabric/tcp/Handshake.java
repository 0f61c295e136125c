package org.namdb.fabric.tcp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.UUID;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.TokenProof;

/// The first messages of a connection, by which the two sides agree on the format, prove possession
/// of the cluster's token without sending it, and by which the client gets the regions.
/// ```
/// client                                          agent
/// HELLO      format, features, client, process,
///            a random number                  ->
///                                             <-  CHALLENGE  format, features, incarnation,
///                                                            a random number
/// PROOF      HMAC of both messages            ->
///                                             <-  WELCOME    whether it has the client, HMAC of
///                                                            both messages, regions
///                                             or  REFUSAL    a FabricException.Kind, and why
/// ```
/// Each is a frame whose first word is that of an [AgentFrame]; all others are words in the byte
/// order of the machine, so that the format's word shows one with another order.
///
/// client: a number of this compute server's fabric that no other one has; by it the agent finds
/// its queue pairs when a connection was lost. process: its number in the cluster, -1 if it is not
/// enrolled. incarnation: a random number of the agent, another one after each start.
final class Handshake {
    static final int HELLO = 1;
    static final int CHALLENGE = 2;
    static final int PROOF = 3;
    static final int WELCOME = 4;
    static final int REFUSAL = 5;

    /// The format of all frames: `NAMTCP` and a number.
    static final long FORMAT = 0x4e414d544350_0003L;

    /// The features that both sides must have; none yet.
    static final long FEATURES = 0;

    /// The largest message of a client that has not identified itself yet.
    static final int MAX_BYTES = 128;

    private static final SecureRandom RANDOM = new SecureRandom();

    private Handshake() {}

    /// A client's first message.
    record Hello(long format, long features, UUID client, int process, UUID random) {}

    /// What an agent answers.
    record Challenge(long format, long features, long incarnation, UUID random) {}

    static UUID random() {
        return new UUID(RANDOM.nextLong(), RANDOM.nextLong());
    }

    static long incarnation() {
        return RANDOM.nextLong();
    }

    /// Whether a first message is not one of these, but begins a TLS handshake.
    static boolean isTls(long head) {
        boolean isLittle = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
        return (isLittle ? Long.reverseBytes(head) : head) >>> 48 == 0x1603;
    }

    static byte[] hello(UUID client, int process) {
        UUID random = random();
        return message(HELLO, 0, 56)
                .putLong(FORMAT)
                .putLong(FEATURES)
                .putLong(client.getMostSignificantBits())
                .putLong(client.getLeastSignificantBits())
                .putLong(process)
                .putLong(random.getMostSignificantBits())
                .putLong(random.getLeastSignificantBits())
                .array();
    }

    static Hello readHello(ByteBuffer in) {
        return new Hello(in.getLong(), in.getLong(), uuid(in), (int) in.getLong(), uuid(in));
    }

    static byte[] challenge(long incarnation) {
        UUID random = random();
        return message(CHALLENGE, 0, 40)
                .putLong(FORMAT)
                .putLong(FEATURES)
                .putLong(incarnation)
                .putLong(random.getMostSignificantBits())
                .putLong(random.getLeastSignificantBits())
                .array();
    }

    static Challenge readChallenge(ByteBuffer in) {
        return new Challenge(in.getLong(), in.getLong(), in.getLong(), uuid(in));
    }

    static byte[] proof(byte[] secret, byte[] hello, byte[] challenge) {
        return message(PROOF, 0, TokenProof.BYTES)
                .put(TokenProof.of(secret, "client", hello, challenge))
                .array();
    }

    static boolean isProven(ByteBuffer in, byte[] secret, byte[] hello, byte[] challenge) {
        return isEqual(in, TokenProof.of(secret, "client", hello, challenge));
    }

    /// @param regions as [ServedMemory#describe] writes them
    static byte[] welcome(
            byte[] secret, byte[] hello, byte[] challenge, boolean isKnown, byte[] regions) {
        return message(WELCOME, isKnown ? 1 : 0, TokenProof.BYTES + regions.length)
                .put(TokenProof.of(secret, "agent", hello, challenge))
                .put(regions)
                .array();
    }

    static boolean isAgentProven(ByteBuffer in, byte[] secret, byte[] hello, byte[] challenge) {
        return isEqual(in, TokenProof.of(secret, "agent", hello, challenge));
    }

    static byte[] refusal(FabricException.Kind kind, String why) {
        byte[] text = why.getBytes(StandardCharsets.UTF_8);
        return message(REFUSAL, kind.ordinal() + 1, 8 + AgentFrame.padded(text.length))
                .putLong(text.length)
                .put(text)
                .array();
    }

    static String readRefusal(ByteBuffer in) {
        byte[] text = new byte[Math.clamp(in.getLong(), 0, in.remaining())];
        in.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }

    /// A buffer over a message, behind its first word.
    static ByteBuffer body(byte[] message) {
        return ByteBuffer.wrap(message).order(ByteOrder.nativeOrder()).position(Long.BYTES);
    }

    private static ByteBuffer message(int kind, int code, int bodyBytes) {
        int bytes = Long.BYTES + bodyBytes;
        return ByteBuffer.allocate(bytes)
                .order(ByteOrder.nativeOrder())
                .putLong((long) kind << 56 | (long) code << 32 | bytes);
    }

    private static UUID uuid(ByteBuffer in) {
        return new UUID(in.getLong(), in.getLong());
    }

    private static boolean isEqual(ByteBuffer in, byte[] expected) {
        byte[] found = new byte[TokenProof.BYTES];
        in.get(found);
        return TokenProof.isEqual(found, expected);
    }
}
