package org.namdb.fabric.tls;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.namdb.fabric.FabricException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// This process's identity to its peers, from its [TlsFiles]. The files are read again when they
/// have changed, so that a certificate can be renewed while connections are open: a memory server
/// can't be restarted for that.
public final class TlsIdentity {
    private static final Logger LOG = LoggerFactory.getLogger(TlsIdentity.class);
    private static final char[] NO_PASSWORD = {};
    private static final String[] PROTOCOLS = {"TLSv1.3"};

    /// Programs that others have written may be older.
    private static final String[] CLIENTS_PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    private final TlsFiles files;
    private final boolean isServer;
    private SSLContext context;
    private List<FileTime> times;

    private TlsIdentity(TlsFiles files, boolean isServer) {
        this.files = files;
        this.isServer = isServer;
        this.times = times(files);
        this.context = read();
    }

    /// Of one that waits for clients.
    ///
    /// @throws FabricException if the files can't be read, or don't belong together
    public static TlsIdentity server(TlsFiles files) {
        return new TlsIdentity(files, true);
    }

    /// Of one that any client may connect to which trusts its certificate.
    ///
    /// @throws FabricException if the files can't be read, or don't belong together
    public static TlsIdentity server(Path certificate, Path key) {
        return new TlsIdentity(new TlsFiles(certificate, key, certificate), true);
    }

    /// Of one that connects.
    ///
    /// @throws FabricException if the files can't be read, or don't belong together
    public static TlsIdentity client(TlsFiles files) {
        return new TlsIdentity(files, false);
    }

    /// A new connection's, of a client that must have a certificate of the authority, too.
    public SSLEngine accept() {
        SSLEngine engine = current().createSSLEngine();
        engine.setUseClientMode(false);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(PROTOCOLS);
        parameters.setNeedClientAuth(true);
        engine.setSSLParameters(parameters);
        return engine;
    }

    /// The same for a socket that blocks.
    ///
    /// @throws IOException if the socket is closed
    public SSLSocket accept(Socket socket) throws IOException {
        SSLSocket secured = acceptAny(socket);
        secured.setEnabledProtocols(PROTOCOLS);
        secured.setNeedClientAuth(true);
        return secured;
    }

    /// A new connection's over a socket that blocks, of any client: none needs a certificate.
    ///
    /// @throws IOException if the socket is closed
    public SSLSocket acceptAny(Socket socket) throws IOException {
        SSLSocket secured =
                (SSLSocket)
                        current()
                                .getSocketFactory()
                                .createSocket(
                                        socket,
                                        socket.getInetAddress().getHostAddress(),
                                        socket.getPort(),
                                        true);
        secured.setUseClientMode(false);
        secured.setEnabledProtocols(CLIENTS_PROTOCOLS);
        return secured;
    }

    /// A new connection's, to a server whose certificate is made out to this host.
    public SSLEngine connect(String host, int port) {
        SSLEngine engine = current().createSSLEngine(host, port);
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(PROTOCOLS);
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        engine.setSSLParameters(parameters);
        return engine;
    }

    /// The same for a socket that blocks and is connected.
    ///
    /// @throws IOException if the socket is closed
    public SSLSocket connect(Socket socket, String host, int port) throws IOException {
        SSLSocket secured =
                (SSLSocket) current().getSocketFactory().createSocket(socket, host, port, true);
        SSLParameters parameters = secured.getSSLParameters();
        parameters.setProtocols(PROTOCOLS);
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secured.setSSLParameters(parameters);
        return secured;
    }

    private synchronized SSLContext current() {
        List<FileTime> now = times(files);
        if (!now.equals(times)) {
            times = now;
            try {
                context = read();
                LOG.info("the certificate {} has been read again", files.certificate());
            } catch (FabricException e) {
                LOG.warn("the certificate stays the one that it was: {}", e.getMessage());
            }
        }
        return context;
    }

    private static List<FileTime> times(TlsFiles files) {
        return List.of(time(files.certificate()), time(files.key()), time(files.authority()));
    }

    private static FileTime time(Path file) {
        try {
            return Files.getLastModifiedTime(file);
        } catch (IOException e) {
            return FileTime.fromMillis(0); // reading it reports why
        }
    }

    private SSLContext read() {
        List<X509Certificate> chain = PemFile.certificates(files.certificate());
        PrivateKey key = PemFile.key(files.key());
        List<X509Certificate> authority = PemFile.certificates(files.authority());
        try {
            requirePair(chain.getFirst(), key);
            X509TrustManager trust = trust(authority);
            requireValid(chain, trust);
            KeyStore keys = emptyStore();
            keys.setKeyEntry("own", key, NO_PASSWORD, chain.toArray(X509Certificate[]::new));
            KeyManagerFactory managers =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(keys, NO_PASSWORD);
            SSLContext made = SSLContext.getInstance("TLS");
            made.init(managers.getKeyManagers(), new TrustManager[] {trust}, null);
            return made;
        } catch (GeneralSecurityException | IOException e) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM,
                    "%s and %s can't be used for TLS: %s"
                            .formatted(files.certificate(), files.key(), e.getMessage()),
                    e);
        }
    }

    /// What the key signs, the certificate's public key proves.
    private void requirePair(X509Certificate certificate, PrivateKey key)
            throws GeneralSecurityException {
        boolean isPair = false;
        if (certificate.getPublicKey().getAlgorithm().equals(key.getAlgorithm())) {
            String algorithm = "SHA256with" + (key.getAlgorithm().equals("EC") ? "ECDSA" : "RSA");
            byte[] anything = certificate.getEncoded();
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(anything);
            byte[] signed = signature.sign();
            signature.initVerify(certificate.getPublicKey());
            signature.update(anything);
            isPair = signature.verify(signed);
        }
        if (!isPair) {
            throw PemFile.refuse(
                    "the key %s does not belong to the certificate %s"
                            .formatted(files.key(), files.certificate()));
        }
    }

    private static X509TrustManager trust(List<X509Certificate> authority)
            throws GeneralSecurityException, IOException {
        KeyStore trusted = emptyStore();
        for (X509Certificate each : authority) {
            trusted.setCertificateEntry("authority-" + trusted.size(), each);
        }
        TrustManagerFactory managers =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        return (X509TrustManager) managers.getTrustManagers()[0];
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        return store;
    }

    /// Peers would refuse it; this error is clearer, and earlier.
    private void requireValid(List<X509Certificate> chain, X509TrustManager trust) {
        X509Certificate own = chain.getFirst();
        X509Certificate[] array = chain.toArray(X509Certificate[]::new);
        try {
            own.checkValidity();
            if (isServer) {
                trust.checkServerTrusted(array, "UNKNOWN");
            } else {
                trust.checkClientTrusted(array, own.getPublicKey().getAlgorithm());
            }
        } catch (CertificateExpiredException e) {
            throw PemFile.refuse(
                    "the certificate %s has expired on %s: make another one"
                            .formatted(files.certificate(), own.getNotAfter().toInstant()));
        } catch (CertificateNotYetValidException e) {
            throw PemFile.refuse(
                    "the certificate %s is not valid before %s: is this machine's clock right?"
                            .formatted(files.certificate(), own.getNotBefore().toInstant()));
        } catch (CertificateException e) {
            throw PemFile.refuse(
                    "the certificate %s is not one that the authority %s has signed for a %s (%s)"
                            .formatted(
                                    files.certificate(),
                                    files.authority(),
                                    isServer ? "server" : "client",
                                    e.getMessage()));
        }
    }
}
