package org.namdb.fabric.tls;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;

/// Why two processes can't agree upon TLS, in one sentence for operators.
public final class TlsFailure {
    private static final int MAX_CAUSES = 16;
    private static final String ALERT = "Received fatal alert";

    private TlsFailure() {}

    /// What is wrong.
    ///
    /// @param peer the other process, in words for operators
    /// @param host whom its certificate should be made out to; empty if that does not matter
    public static String describe(SSLException e, String peer, String host) {
        List<Throwable> causes = causes(e);
        if (isAny(causes, CertificateExpiredException.class)) {
            return "the certificate of " + peer + " has expired: it needs another one";
        }
        if (isAny(causes, CertificateNotYetValidException.class)) {
            return "the certificate of %s is not valid yet: are the clocks of both machines right?"
                    .formatted(peer);
        }
        if (isAny(causes, CertPathBuilderException.class)
                || isAny(causes, CertPathValidatorException.class)) {
            return "the certificate of %s is not signed by this process's authority: %s"
                    .formatted(peer, "both need certificates of the same one");
        }
        if (!host.isEmpty() && isAny(causes, CertificateException.class)) {
            return "the certificate of %s is not made out to %s: %s (%s)"
                    .formatted(
                            peer,
                            host,
                            "its subject alternative names must contain that",
                            messageOf(causes, CertificateException.class));
        }
        String message = String.valueOf(e.getMessage());
        if (message.contains("certificate chain")) {
            return peer + " has sent no certificate: it needs one of this process's authority";
        }
        if (message.contains(ALERT) && message.contains("certificate")) {
            return "%s does not accept this process's certificate: %s (%s)"
                    .formatted(peer, "its log says why", message);
        }
        return "%s and this process can't agree upon TLS: %s".formatted(peer, message);
    }

    private static List<Throwable> causes(Throwable e) {
        List<Throwable> causes = new ArrayList<>();
        Throwable cause = e;
        while (cause != null && causes.size() < MAX_CAUSES) {
            causes.add(cause);
            cause = cause.getCause();
        }
        return causes;
    }

    private static boolean isAny(List<Throwable> causes, Class<? extends Throwable> kind) {
        return causes.stream().anyMatch(kind::isInstance);
    }

    private static String messageOf(List<Throwable> causes, Class<? extends Throwable> kind) {
        return causes.stream()
                .filter(kind::isInstance)
                .map(Throwable::getMessage)
                .findFirst()
                .orElse("");
    }
}
