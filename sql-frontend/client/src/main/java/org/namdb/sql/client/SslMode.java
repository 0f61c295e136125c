package org.namdb.sql.client;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Whether a connection is encrypted, and which servers are accepted; the values of libpq's
/// `sslmode`.
public enum SslMode {
    /// In clear.
    DISABLE,
    /// Encrypted if the server has TLS, else in clear; the certificate is not verified.
    PREFER,
    /// Encrypted. The certificate is verified as by [#VERIFY_CA] if there are root certificates.
    REQUIRE,
    /// Encrypted, and the certificate is signed by one of the root certificates.
    VERIFY_CA,
    /// The same, and the certificate is of the host that the URL names.
    VERIFY_FULL;

    /// @throws SqlException 22023 if there is no such mode
    static SslMode parse(String text) {
        for (SslMode mode : values()) {
            if (mode.toString().equals(text)) {
                return mode;
            }
        }
        throw new SqlException(
                        SqlState.INVALID_PARAMETER_VALUE, "invalid sslmode value: \"" + text + "\"")
                .withHint(
                        "It is one of "
                                + Arrays.stream(values())
                                        .map(SslMode::toString)
                                        .collect(Collectors.joining(", "))
                                + ".");
    }

    /// As it is written: `verify-full`.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
