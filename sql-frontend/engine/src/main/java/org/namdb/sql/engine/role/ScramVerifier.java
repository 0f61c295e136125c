package org.namdb.sql.engine.role;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// By which a password is checked without being known.
///
/// Source: RFC 5802, section 3, with SHA-256 (RFC 7677).
public final class ScramVerifier {
    private static final int ITERATIONS = 4096;
    private static final int SALT_BYTES = 16;
    private static final int KEY_BITS = 256;
    private static final String PREFIX = "SCRAM-SHA-256$";
    private static final Pattern FORM = Pattern.compile("(\\d{1,9}):([^$]+)\\$([^:]+):(.+)");

    private final int iterations;
    private final byte[] salt;

    /// The hash of the key that a client proves to have.
    private final byte[] storedKey;

    /// By which the server proves to know the password's hash.
    private final byte[] serverKey;

    private ScramVerifier(int iterations, byte[] salt, byte[] storedKey, byte[] serverKey) {
        this.iterations = iterations;
        this.salt = salt;
        this.storedKey = storedKey;
        this.serverKey = serverKey;
    }

    /// How often the password was hashed.
    public int iterations() {
        return iterations;
    }

    /// What it was hashed with, in base 64.
    public String salt() {
        return Base64.getEncoder().encodeToString(salt);
    }

    /// What PostgreSQL keeps of a password.
    @Override
    public String toString() {
        Base64.Encoder base64 = Base64.getEncoder();
        return PREFIX
                + iterations
                + ":"
                + salt()
                + "$"
                + base64.encodeToString(storedKey)
                + ":"
                + base64.encodeToString(serverKey);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ScramVerifier verifier
                && verifier.toString().equals(toString()); // which is no secret to time
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }

    /// Of a password, or of a verifier as text.
    ///
    /// @param secret a password, or a verifier in PostgreSQL's form
    /// @throws IllegalArgumentException if it begins like a verifier, and is none
    public static ScramVerifier of(String secret) {
        if (!secret.startsWith(PREFIX)) {
            byte[] salt = new byte[SALT_BYTES];
            new SecureRandom().nextBytes(salt);
            return of(secret, salt);
        }
        Matcher parts = FORM.matcher(secret.substring(PREFIX.length()));
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "expected " + PREFIX + "iterations:salt$stored key:server key");
        }
        int iterations = Integer.parseInt(parts.group(1));
        if (iterations < 1) {
            throw new IllegalArgumentException("a password is hashed at least once");
        }
        Base64.Decoder base64 = Base64.getDecoder();
        byte[] storedKey = base64.decode(parts.group(3));
        byte[] serverKey = base64.decode(parts.group(4));
        if (storedKey.length != KEY_BITS / 8 || serverKey.length != KEY_BITS / 8) {
            throw new IllegalArgumentException("keys have " + KEY_BITS / 8 + " bytes");
        }
        return new ScramVerifier(iterations, base64.decode(parts.group(2)), storedKey, serverKey);
    }

    private static ScramVerifier of(String password, byte... salt) {
        try {
            // SASLprep, as far as it changes what people type.
            String prepared = Normalizer.normalize(password, Normalizer.Form.NFKC);
            PBEKeySpec spec = new PBEKeySpec(prepared.toCharArray(), salt, ITERATIONS, KEY_BITS);
            byte[] salted =
                    SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                            .generateSecret(spec)
                            .getEncoded();
            return new ScramVerifier(
                    ITERATIONS, salt, hash(hmac(salted, "Client Key")), hmac(salted, "Server Key"));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has PBKDF2 with SHA-256", e);
        }
    }

    /// One that no password passes.
    public static ScramVerifier unknown(String user, byte[] secret) {
        byte[] salt = Arrays.copyOf(hmac(secret, user), SALT_BYTES);
        byte[] nothing = new byte[KEY_BITS / 8];
        return new ScramVerifier(ITERATIONS, salt, nothing, nothing);
    }

    /// Whether a client's proof shows that it has the key.
    ///
    /// @param message what both sides have said
    public boolean accepts(String message, byte... proof) {
        byte[] signature = hmac(storedKey, message);
        if (proof.length != signature.length) {
            return false;
        }
        byte[] clientKey = new byte[proof.length];
        for (int i = 0; i < proof.length; i++) {
            clientKey[i] = (byte) (proof[i] ^ signature[i]);
        }
        return MessageDigest.isEqual(hash(clientKey), storedKey);
    }

    /// The server's proof.
    public byte[] signature(String message) {
        return hmac(serverKey, message);
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HMAC with SHA-256", e);
        }
    }

    private static byte[] hash(byte... bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
