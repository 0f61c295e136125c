package org.namdb.sql.server;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import org.namdb.sql.engine.role.ScramVerifier;

/// The server's side of one authentication by SCRAM-SHA-256, without channel binding.
///
/// Source: RFC 5802, section 5.
final class ScramExchange {
    static final String MECHANISM = "SCRAM-SHA-256";

    private static final int NONCE_BYTES = 18;

    private final ScramVerifier verifier;
    private String clientFirst = "";
    private String serverFirst = "";
    private String channel = "";
    private String nonce = "";

    ScramExchange(ScramVerifier verifier) {
        this.verifier = verifier;
    }

    /// Answers the client's first message: `n,,n=user,r=nonce`.
    ///
    /// @throws ProtocolException if it is none
    String first(String message) throws ProtocolException {
        String[] parts = message.split(",", 4);
        boolean isBinding = parts[0].startsWith("p=");
        if (isBinding || parts.length < 4 || !parts[3].startsWith("r=")) {
            throw new ProtocolException(
                    isBinding
                            ? "SCRAM channel binding is not supported"
                            : "malformed SCRAM message");
        }
        channel = parts[0] + "," + parts[1] + ",";
        clientFirst = message.substring(channel.length());
        byte[] random = new byte[NONCE_BYTES];
        new SecureRandom().nextBytes(random);
        String own = Base64.getEncoder().encodeToString(random);
        nonce = parts[3].substring(2).split(",", 2)[0] + own;
        serverFirst = "r=" + nonce + ",s=" + verifier.salt() + ",i=" + verifier.iterations();
        return serverFirst;
    }

    /// Answers the client's last message: `c=channel,r=nonce,p=proof`.
    ///
    /// @return an empty text if the password is wrong
    /// @throws ProtocolException if it is none
    String last(String message) throws ProtocolException {
        int proofAt = message.lastIndexOf(",p=");
        String expected =
                "c="
                        + Base64.getEncoder()
                                .encodeToString(channel.getBytes(StandardCharsets.UTF_8))
                        + ",r="
                        + nonce;
        if (proofAt < 0 || !message.substring(0, proofAt).equals(expected)) {
            throw new ProtocolException("malformed SCRAM message");
        }
        byte[] proof;
        try {
            proof = Base64.getDecoder().decode(message.substring(proofAt + 3));
        } catch (IllegalArgumentException e) {
            throw new ProtocolException("malformed SCRAM message");
        }
        String all = clientFirst + "," + serverFirst + "," + expected;
        return verifier.accepts(all, proof)
                ? "v=" + Base64.getEncoder().encodeToString(verifier.signature(all))
                : "";
    }
}
