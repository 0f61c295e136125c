package org.namdb.fabric.tls;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Security;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/// An authority with certificates for tests, made by the running JDK's keytool on first use.
public final class TestAuthority {
    static {
        // Keys are changed often, so that all tests meet that; it is read once, with the first TLS.
        Security.setProperty("jdk.tls.keyLimits", "AES/GCM/NoPadding KeyUpdate 2^17");
    }

    private static final String PASSWORD = "password";
    private static final String LOOPBACK = "san=dns:localhost,ip:127.0.0.1,ip:::1";
    private static final Map<String, TestAuthority> ALL = new ConcurrentHashMap<>();

    /// Of the clients that were made already: to encrypt a key store takes much longer than the
    /// handshake of a connection.
    private static final Map<Own, Managers> MANAGERS = new ConcurrentHashMap<>();

    private record Own(Path authority, @Nullable TlsFiles files) {}

    private record Managers(List<KeyManager> keys, List<TrustManager> trust) {}

    private final Path directory;
    private final Path store;
    private final Map<String, TlsFiles> made = new ConcurrentHashMap<>();

    private TestAuthority(String name) {
        try {
            directory = Files.createTempDirectory("namdb-tls-" + name);
            directory.toFile().deleteOnExit();
            store = directory.resolve("store.p12");
            store.toFile().deleteOnExit();
            keytool("authority", "-ext", "bc:c=ca:true", "-validity", "30");
            write("authority.pem", certificate("authority"));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /// The one of this name.
    public static TestAuthority of(String name) {
        return ALL.computeIfAbsent(name, TestAuthority::new);
    }

    /// For processes of this machine, by the usual authority.
    public static TlsFiles loopback() {
        return of("usual").files("loopback", "-ext", LOOPBACK, "-validity", "20");
    }

    /// A certificate for the loopback address that has expired.
    public TlsFiles expired() {
        return files("expired", "-ext", LOOPBACK, "-startdate", "-10d", "-validity", "5");
    }

    /// A certificate with these further options of keytool.
    public TlsFiles files(String name, String... options) {
        return made.computeIfAbsent(
                name,
                _ -> {
                    List<String> all = new ArrayList<>(List.of(options));
                    all.addAll(List.of("-signer", "authority"));
                    keytool(name, all.toArray(String[]::new));
                    try {
                        Path certificate = write(name + ".pem", certificate(name));
                        Path key = write(name + ".key", key(name));
                        return new TlsFiles(certificate, key, directory.resolve("authority.pem"));
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                });
    }

    /// Of a client that does not check its own certificate.
    public static SSLContext careless(TlsFiles files) {
        return context(files.authority(), files);
    }

    /// Of a client that has none.
    public static SSLContext trusting(Path authority) {
        return context(authority, null);
    }

    /// A context of its own, which resumes no session of another client.
    private static SSLContext context(Path authority, @Nullable TlsFiles own) {
        Managers managers =
                MANAGERS.computeIfAbsent(new Own(authority, own), TestAuthority::managers);
        try {
            SSLContext context = SSLContext.getInstance("TLSv1.3");
            context.init(
                    managers.keys.toArray(KeyManager[]::new),
                    managers.trust.toArray(TrustManager[]::new),
                    null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Managers managers(Own client) {
        Path authority = client.authority;
        TlsFiles own = client.files;
        char[] password = PASSWORD.toCharArray();
        try {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, password);
            trusted.setCertificateEntry("authority", PemFile.certificates(authority).getFirst());
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, password);
            if (own != null) {
                store.setKeyEntry(
                        "own",
                        PemFile.key(own.key()),
                        password,
                        PemFile.certificates(own.certificate()).toArray(X509Certificate[]::new));
            }
            KeyManagerFactory keys =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, password);
            return new Managers(List.of(keys.getKeyManagers()), List.of(trust.getTrustManagers()));
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private synchronized void keytool(String name, String... options) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-J-XX:TieredStopAtLevel=1",
                                "-J-XX:+UseSerialGC",
                                "-genkeypair",
                                "-keyalg",
                                "EC",
                                "-groupname",
                                "secp256r1",
                                "-dname",
                                "CN=" + name,
                                "-alias",
                                name,
                                "-keystore",
                                store.toString(),
                                "-storepass",
                                PASSWORD));
        command.addAll(List.of(options));
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String said =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IllegalStateException("keytool has failed: " + said);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private String certificate(String name) {
        return pem("CERTIFICATE", new KeyStoreEntry(store, name).certificate());
    }

    private String key(String name) {
        return pem("PRIVATE KEY", new KeyStoreEntry(store, name).key());
    }

    private record KeyStoreEntry(Path store, String name) {
        byte[] certificate() {
            try {
                Certificate found = open().getCertificate(name);
                return found.getEncoded();
            } catch (GeneralSecurityException | IOException e) {
                throw new IllegalStateException(e);
            }
        }

        byte[] key() {
            try {
                return open().getKey(name, PASSWORD.toCharArray()).getEncoded();
            } catch (GeneralSecurityException | IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private KeyStore open() throws GeneralSecurityException, IOException {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                keys.load(in, PASSWORD.toCharArray());
            }
            return keys;
        }
    }

    private static String pem(String what, byte[] bytes) {
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                .formatted(
                        what,
                        Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes),
                        what);
    }

    private Path write(String name, String text) throws IOException {
        Path file = Files.writeString(directory.resolve(name), text);
        file.toFile().deleteOnExit();
        return file;
    }
}
