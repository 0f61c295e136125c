package org.namdb.fabric;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Proves possession of the cluster's token without sending it: an HMAC of both sides' messages on
/// the connection, which contain a random number of each.
public final class TokenProof {
    /// How long one is.
    public static final int BYTES = 32;

    private static final String ALGORITHM = "HmacSHA256";

    private TokenProof() {}

    /// A proof.
    ///
    /// @param side the side that proves, so that a proof can't be reflected
    public static byte[] of(byte[] token, String side, byte[]... said) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            // A key of no bytes is none, and one with zeroes at its end is the one without them.
            byte[] key = MessageDigest.getInstance("SHA-256").digest(token);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            mac.update(side.getBytes(StandardCharsets.UTF_8));
            for (byte[] each : said) {
                mac.update(each);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JVM has " + ALGORITHM, e);
        }
    }

    /// Whether two are the same, in constant time.
    public static boolean isEqual(byte[] found, byte[] expected) {
        return MessageDigest.isEqual(found, expected);
    }
}
