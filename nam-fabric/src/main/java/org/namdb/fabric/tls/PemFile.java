package org.namdb.fabric.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.namdb.fabric.FabricException;

/// Reads certificates and keys as openssl writes them.
final class PemFile {
    private static final int MAX_BYTES = 1 << 20;
    private static final Pattern KEY =
            Pattern.compile(
                    "-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]*)-----END PRIVATE KEY-----");

    private PemFile() {}

    /// All certificates of a file, in their order.
    static List<X509Certificate> certificates(Path file) {
        byte[] bytes = read(file, "certificate");
        try {
            List<X509Certificate> found =
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(new ByteArrayInputStream(bytes))
                            .stream()
                            .map(X509Certificate.class::cast)
                            .toList();
            if (!found.isEmpty()) {
                return found;
            }
        } catch (CertificateException e) {
            // said below
        }
        throw refuse(file + " holds no certificate in PEM (-----BEGIN CERTIFICATE-----)");
    }

    /// The private key of a file.
    static PrivateKey key(Path file) {
        String text = new String(read(file, "key"), StandardCharsets.ISO_8859_1);
        Matcher matcher = KEY.matcher(text);
        if (!matcher.find()) {
            throw refuse(
                    "%s holds no private key in PKCS#8 without a password; make it one by '%s'"
                            .formatted(
                                    file,
                                    "openssl pkcs8 -topk8 -nodes -in %s -out NEW".formatted(file)));
        }
        byte[] encoded;
        try {
            encoded = Base64.getMimeDecoder().decode(matcher.group(1));
        } catch (IllegalArgumentException e) {
            throw refuse(file + " is damaged: its private key is not in Base64");
        }
        for (String algorithm : List.of("EC", "RSA")) {
            try {
                return KeyFactory.getInstance(algorithm)
                        .generatePrivate(new PKCS8EncodedKeySpec(encoded));
            } catch (InvalidKeySpecException e) {
                // It is of another kind.
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("every JVM has " + algorithm, e);
            }
        }
        throw refuse(file + " holds a private key that is neither EC nor RSA, or is damaged");
    }

    private static byte[] read(Path file, String what) {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw refuse("%s is too large for a %s".formatted(file, what));
            }
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw refuse("there is no file %s for the TLS %s".formatted(file, what));
        } catch (IOException e) {
            throw refuse(
                    "%s can't be read (%s); this process's user must be allowed to"
                            .formatted(file, e.getClass().getSimpleName()));
        }
    }

    static FabricException refuse(String why) {
        return new FabricException(FabricException.Kind.SYSTEM, why);
    }
}
