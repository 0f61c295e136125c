package org.namdb.sql.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/// The client's side of SCRAM-SHA-256: it proves that it knows the password, and has the server
/// prove that it does.
///
/// Source: RFC 5802 and RFC 7677. PostgreSQL takes the user of the startup message, so that of the
/// exchange is empty. A password is taken as it is, which is what SASLprep makes of ASCII.
final class ScramClient {
    static final String MECHANISM = "SCRAM-SHA-256";
    private static final String MAC = "HmacSHA256";
    private static final String NO_BINDING = "n,,";
    private static final int NONCE_BYTES = 18;
    private static final int MIN_ITERATIONS = 4096;
    private static final int MAX_ITERATIONS = 10_000_000;
    private static final int KEY_BITS = 256;

    private final String password;
    private final String nonce;
    private byte[] signature = new byte[0];

    ScramClient(String password) {
        byte[] random = new byte[NONCE_BYTES];
        new SecureRandom().nextBytes(random);
        this.password = password;
        this.nonce = Base64.getEncoder().encodeToString(random);
    }

    String first() {
        return NO_BINDING + bare();
    }

    private String bare() {
        return "n=,r=" + nonce;
    }

    /// Answers the server's first message: `r=nonce,s=salt,i=iterations`.
    ///
    /// @throws IOException if it is none
    String last(String message) throws IOException {
        String[] parts = message.split(",", 3);
        boolean isWhole =
                parts.length == 3
                        && parts[0].startsWith("r=" + nonce)
                        && parts[0].length() > 2 + nonce.length()
                        && parts[1].startsWith("s=")
                        && parts[2].startsWith("i=");
        if (!isWhole) {
            throw new IOException("malformed SCRAM message of the server");
        }
        try {
            int iterations = Integer.parseInt(parts[2].substring(2));
            if (iterations < MIN_ITERATIONS || iterations > MAX_ITERATIONS) {
                throw new IOException("the server wants " + iterations + " iterations of SCRAM");
            }
            byte[] salt = Base64.getDecoder().decode(parts[1].substring(2));
            byte[] salted =
                    SecretKeyFactory.getInstance("PBKDF2With" + MAC)
                            .generateSecret(
                                    new PBEKeySpec(
                                            password.toCharArray(), salt, iterations, KEY_BITS))
                            .getEncoded();
            String end =
                    "c=" + Base64.getEncoder().encodeToString(bytes(NO_BINDING)) + "," + parts[0];
            byte[] all = bytes(bare() + "," + message + "," + end);
            byte[] clientKey = mac(salted, bytes("Client Key"));
            byte[] proof = mac(MessageDigest.getInstance("SHA-256").digest(clientKey), all);
            for (int i = 0; i < proof.length; i++) {
                proof[i] ^= clientKey[i];
            }
            signature = mac(mac(salted, bytes("Server Key")), all);
            return end + ",p=" + Base64.getEncoder().encodeToString(proof);
        } catch (IllegalArgumentException | GeneralSecurityException e) {
            throw new IOException("malformed SCRAM message of the server", e);
        }
    }

    /// Checks the server's last message: `v=signature`.
    ///
    /// @throws IOException if the server does not know the password
    void verify(String message) throws IOException {
        String expected = "v=" + Base64.getEncoder().encodeToString(signature);
        if (signature.length == 0 || !MessageDigest.isEqual(bytes(message), bytes(expected))) {
            throw new IOException("the server does not know the password: it is not the right one");
        }
    }

    private static byte[] mac(byte[] key, byte[] text) throws GeneralSecurityException {
        Mac mac = Mac.getInstance(MAC);
        mac.init(new SecretKeySpec(key, MAC));
        return mac.doFinal(text);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
