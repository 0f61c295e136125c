package org.namdb.sql.client;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXReason;
import java.security.cert.X509Certificate;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// The client's side of TLS: the request for it, the handshake, and the check of the server's
/// certificate.
///
/// Source: PostgreSQL's documentation, "Frontend/Backend Protocol", SSL Session Encryption, and
/// "libpq", SSL Support.
final class ClientTls {
    private static final int SSL_REQUEST = 80877103;
    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    private static final String UNSIGNED =
            "its certificate is not signed by any of the root certificates";

    private ClientTls() {}

    /// Secures a new connection in the URL's mode.
    ///
    /// @param socket on which nothing has been sent yet
    /// @return the socket to go on with: the same, if the connection stays in clear
    /// @throws SSLException if the handshake fails; then the socket can't be used
    /// @throws SqlException 08006 if the server has no TLS and the mode requires it, 22023 if the
    ///     root certificates can't be read
    static Socket secure(Socket socket, ServerUrl url) throws IOException {
        if (url.sslMode() == SslMode.DISABLE) {
            return socket;
        }
        // Before anything is sent: what is wrong with the files is not the server's fault.
        SSLContext context = context(url);
        socket.getOutputStream()
                .write(new Message.Writer().int32(SSL_REQUEST).end((char) 0).toByteArray());
        int answer = socket.getInputStream().read();
        if (answer != 'S') {
            if (answer == 'N' && url.sslMode() == SslMode.PREFER) {
                return socket;
            }
            throw refused(url, answer);
        }
        SSLSocket secured =
                (SSLSocket)
                        context.getSocketFactory()
                                .createSocket(socket, url.host(), url.port(), true);
        secured.setEnabledProtocols(PROTOCOLS);
        if (url.sslMode() == SslMode.VERIFY_FULL) {
            SSLParameters parameters = secured.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            secured.setSSLParameters(parameters);
        }
        secured.startHandshake();
        return secured;
    }

    private static SqlException refused(ServerUrl url, int answer) {
        if (answer != 'N') {
            return new SqlException(
                            SqlState.CONNECTION_FAILURE,
                            url.address() + " does not answer a request for TLS")
                    .withHint("Is it a PostgreSQL or NamDB server that listens there?");
        }
        return new SqlException(
                        SqlState.CONNECTION_FAILURE,
                        "%s has no TLS, and sslmode is %s".formatted(url.address(), url.sslMode()))
                .withHint(
                        "Start the server with a certificate (--tls-certificate, --tls-key), or"
                                + " connect with sslmode=prefer.");
    }

    /// What is thrown when a handshake has failed.
    static SqlException failed(ServerUrl url, SSLException e) {
        String root = url.sslRootCertificate();
        SqlException failure =
                new SqlException(
                        SqlState.CONNECTION_FAILURE,
                        "no TLS with %s: %s".formatted(url.address(), why(url, e)));
        return failure.withHint(
                        root == null
                                ? "The server's log says more; sslmode=disable connects in clear."
                                : "sslrootcert is %s: it must hold the authority that has signed the server's"
                                                .formatted(root)
                                        + " certificate. sslmode=verify-full needs the host's name or address"
                                        + " in it, too.")
                .causedBy(e);
    }

    private static String why(ServerUrl url, SSLException e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return switch (cause) {
            case CertificateExpiredException _ -> "its certificate has expired";
            case CertPathBuilderException _ -> UNSIGNED;
            case CertPathValidatorException path ->
                    path.getReason() == PKIXReason.NO_TRUST_ANCHOR
                            ? UNSIGNED
                            : "its certificate is not valid: " + path.getMessage();
            case CertificateException _ ->
                    "its certificate is not of the host \"%s\": %s"
                            .formatted(url.host(), cause.getMessage());
            default -> String.valueOf(cause.getMessage());
        };
    }

    private static SSLContext context(ServerUrl url) {
        String root = url.sslRootCertificate();
        boolean isVerified = root != null && url.sslMode() != SslMode.PREFER;
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            TrustManager[] trust =
                    isVerified ? trusted(root) : new TrustManager[] {new AnyServer()};
            context.init(null, trust, null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new SqlException(
                            SqlState.INVALID_PARAMETER_VALUE,
                            "sslrootcert: %s can't be used: %s".formatted(root, e.getMessage()))
                    .causedBy(e);
        }
    }

    private static TrustManager[] trusted(@Nullable String root)
            throws GeneralSecurityException, IOException {
        TrustManagerFactory managers =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        if (root == null || root.equals(ServerUrl.SYSTEM_ROOTS)) {
            managers.init((KeyStore) null);
            return managers.getTrustManagers();
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (Certificate each : certificates(Path.of(root))) {
            store.setCertificateEntry("root-" + store.size(), each);
        }
        managers.init(store);
        return managers.getTrustManagers();
    }

    private static Collection<? extends Certificate> certificates(Path file) throws IOException {
        try {
            Collection<? extends Certificate> found =
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(
                                    new ByteArrayInputStream(Files.readAllBytes(file)));
            if (!found.isEmpty()) {
                return found;
            }
        } catch (NoSuchFileException e) {
            throw new IOException("there is no such file", e);
        } catch (CertificateException e) {
            throw new IOException("it holds no certificates in PEM", e);
        }
        throw new IOException("it holds no certificates in PEM");
    }

    /// Accepts every certificate: the connection is encrypted, and the server unverified.
    private static final class AnyServer implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
