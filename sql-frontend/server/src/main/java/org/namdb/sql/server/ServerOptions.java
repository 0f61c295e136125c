package org.namdb.sql.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.tls.TlsIdentity;

/// Where a server listens, which clients it accepts, and their limits.
///
/// @param address where it listens; port 0 for any that is free
/// @param passwords the users; null if every client may connect that reaches the address, which
///     must be a loopback address then
/// @param maxConnections how many clients may be connected at a time
/// @param maxSessions how many statements and transaction blocks may run at a time
/// @param sessionTimeout how long a statement or a block waits for others to end
/// @param maxMessageBytes the longest message of a client
/// @param clientTimeout how long a client may take for its authentication, for the remaining part
///     of a message, and to read on while the network takes nothing
/// @param statementTimeout what statement_timeout is in new sessions; zero for no limit
/// @param idleInTransactionTimeout what idle_in_transaction_session_timeout is in new sessions;
///     zero for no limit
/// @param allowsProcedures whether clients may submit procedures, which may do all that this
///     process may
/// @param tls what it proves itself with to clients that want TLS; null if none can have it
/// @param logMinDuration what log_min_duration_statement is in new sessions; null for none
public record ServerOptions(
        InetSocketAddress address,
        @Nullable Passwords passwords,
        int maxConnections,
        int maxSessions,
        Duration sessionTimeout,
        int maxMessageBytes,
        Duration clientTimeout,
        Duration statementTimeout,
        Duration idleInTransactionTimeout,
        boolean allowsProcedures,
        @Nullable TlsIdentity tls,
        @Nullable Duration logMinDuration) {
    /// PostgreSQL's port on this machine's loopback address, for everybody; 2,000 connections on 32
    /// sessions.
    public static final ServerOptions DEFAULT =
            new ServerOptions(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 5432),
                    null,
                    2000,
                    32,
                    Duration.ofSeconds(30),
                    64 << 20,
                    Duration.ofMinutes(1),
                    Duration.ZERO,
                    Duration.ofMinutes(5),
                    false,
                    null,
                    null);

    public ServerOptions {
        require(
                passwords != null
                        || address.getAddress() != null && address.getAddress().isLoopbackAddress(),
                "without passwords a server listens on a loopback address alone, as 127.0.0.1, and not on "
                        + address.getHostString());
        require(maxConnections > 0, "1 or more connections, not " + maxConnections);
        require(maxSessions > 0, "1 or more sessions, not " + maxSessions);
        require(maxMessageBytes >= 1 << 16, "messages of 64 KiB or more, not " + maxMessageBytes);
        require(clientTimeout.isPositive(), "the client timeout must be positive");
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }

    public ServerOptions withAddress(InetSocketAddress other) {
        return with(other, passwords, maxConnections, maxSessions);
    }

    public ServerOptions withPasswords(Passwords others) {
        return with(address, others, maxConnections, maxSessions);
    }

    public ServerOptions withMaxConnections(int count) {
        return with(address, passwords, count, maxSessions);
    }

    public ServerOptions withMaxSessions(int count) {
        return with(address, passwords, maxConnections, count);
    }

    /// With other limits of time.
    public ServerOptions withTimeouts(
            Duration session, Duration client, Duration statement, Duration idleInTransaction) {
        return new ServerOptions(
                address,
                passwords,
                maxConnections,
                maxSessions,
                session,
                maxMessageBytes,
                client,
                statement,
                idleInTransaction,
                allowsProcedures,
                tls,
                logMinDuration);
    }

    /// With another limit of a message's length.
    public ServerOptions withMaxMessageBytes(int bytes) {
        return with(bytes, allowsProcedures, tls);
    }

    /// Whether clients may submit procedures.
    public ServerOptions withProcedures(boolean isAllowed) {
        return with(maxMessageBytes, isAllowed, tls);
    }

    /// With TLS for clients that want it.
    public ServerOptions withTls(TlsIdentity identity) {
        return with(maxMessageBytes, allowsProcedures, identity);
    }

    /// Statements that take so long are logged.
    public ServerOptions withLogMinDuration(@Nullable Duration duration) {
        return new ServerOptions(
                address,
                passwords,
                maxConnections,
                maxSessions,
                sessionTimeout,
                maxMessageBytes,
                clientTimeout,
                statementTimeout,
                idleInTransactionTimeout,
                allowsProcedures,
                tls,
                duration);
    }

    private ServerOptions with(
            int messageBytes, boolean procedures, @Nullable TlsIdentity identity) {
        return new ServerOptions(
                address,
                passwords,
                maxConnections,
                maxSessions,
                sessionTimeout,
                messageBytes,
                clientTimeout,
                statementTimeout,
                idleInTransactionTimeout,
                procedures,
                identity,
                logMinDuration);
    }

    private ServerOptions with(
            InetSocketAddress otherAddress,
            @Nullable Passwords otherPasswords,
            int connections,
            int sessions) {
        return new ServerOptions(
                otherAddress,
                otherPasswords,
                connections,
                sessions,
                sessionTimeout,
                maxMessageBytes,
                clientTimeout,
                statementTimeout,
                idleInTransactionTimeout,
                allowsProcedures,
                tls,
                logMinDuration);
    }
}
