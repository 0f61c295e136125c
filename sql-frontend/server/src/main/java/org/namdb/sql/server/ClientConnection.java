package org.namdb.sql.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.LeaseLostException;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.tls.TlsIdentity;
import org.namdb.memory.client.ServerUsage;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.engine.role.Role;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A client's connection: its startup and authentication, then its requests until it leaves.
/// Everything but [#cancel], [#terminate] and [#closeIfStalled] is for its own thread.
final class ClientConnection implements Runnable {
    /// The longest message of a client that is not authenticated yet.
    private static final int MAX_UNAUTHENTICATED_BYTES = 1 << 16;

    private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);

    private static final int MAX_STARTUP_BYTES = 10_000;

    /// What a client must send at least of a message that takes longer than the client timeout.
    private static final long MIN_BYTES_PER_SECOND = 64 << 10;

    private static final int PROTOCOL_MAJOR = 3;
    private static final int CANCEL_REQUEST = 80877102;
    private static final int SSL_REQUEST = 80877103;
    private static final int GSS_REQUEST = 80877104;

    private static final int AUTHENTICATION_SASL = 10;
    private static final int AUTHENTICATION_SASL_CONTINUE = 11;
    private static final int AUTHENTICATION_SASL_FINAL = 12;

    /// Protocol options, which no setting is named like.
    private static final String PROTOCOL_OPTION = "_pq_.";

    private static final String WHEN_ALL_RUN =
            "Clients can connect again when all memory servers run. `nam cluster start` starts what"
                    + " has ended of a cluster on this machine; `nam status` shows what runs.";

    private final SqlServer server;
    private final Socket socket;
    private final int number;
    private final int key;
    private final MessageReader in;
    private final MessageWriter out;
    private volatile @Nullable SqlSession session;
    private @Nullable QueryProtocol requests;
    private int readTimeoutMillis;
    private boolean isAdmitted;
    private boolean isSecured;

    /// Until when it has to be authenticated, by [System#nanoTime].
    private final long startupEnd;

    private volatile boolean isAuthenticated;

    /// @param key which a request to cancel must have
    ///
    /// @throws IOException if the client has left
    ClientConnection(SqlServer server, Socket socket, int number, int key) throws IOException {
        this.server = server;
        this.socket = socket;
        this.number = number;
        this.key = key;
        this.startupEnd = System.nanoTime() + server.options().clientTimeout().toNanos();
        socket.setTcpNoDelay(true);
        socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        this.in =
                new MessageReader(
                        socket.getInputStream(), MAX_UNAUTHENTICATED_BYTES, this::beforeRead);
        this.out = new MessageWriter(socket.getOutputStream());
    }

    int number() {
        return number;
    }

    @Override
    public void run() {
        try {
            serve();
        } catch (SocketTimeoutException e) {
            timedOut();
        } catch (ProtocolException e) {
            end(new SqlException(SqlState.PROTOCOL_VIOLATION, String.valueOf(e.getMessage())));
        } catch (SqlException e) {
            Throwable cause = e.getCause();
            if (!isAuthenticated
                    && (cause instanceof FabricException || cause instanceof LeaseLostException)) {
                end(unreachable(cause));
            } else {
                end(e);
            }
        } catch (IOException e) {
            LOG.debug("connection {} is lost: {}", number, e.toString());
        } catch (FabricException | LeaseLostException e) {
            end(unreachable(e));
        } catch (RuntimeException | Error e) {
            LOG.error("connection {} has failed", number, e);
            end(new SqlException(SqlState.INTERNAL_ERROR, "internal error: " + e));
        } finally {
            close();
        }
    }

    private void serve() throws IOException {
        Map<String, String> parameters = startup();
        if (parameters == null) {
            return;
        }
        String user = parameters.remove("user");
        if (user == null || user.isEmpty()) {
            throw new SqlException(
                    SqlState.INVALID_AUTHORIZATION,
                    "no PostgreSQL user name specified in startup packet");
        }
        Role role = authenticate(user);
        parameters.remove("database");
        parameters.remove("replication");
        open(role, parameters);
        QueryProtocol handler = new QueryProtocol(in, out, sessionOf());
        requests = handler;
        handler.ready();
        isAuthenticated = true;
        in.accept(server.options().maxMessageBytes());
        int type = in.next();
        while (type != -1 && type != 'X' && !server.isClosing()) {
            handler.handle(type);
            type = in.next();
        }
        if (server.isClosing()) {
            end(
                    new SqlException(
                            SqlState.ADMIN_SHUTDOWN,
                            "terminating connection due to administrator command"));
        }
    }

    /// A client that is connected finds out by 08006 that its transaction may have been committed.
    private SqlException unreachable(Throwable cause) {
        SqlException error =
                new SqlException(
                        isAuthenticated ? SqlState.CONNECTION_FAILURE : SqlState.CANNOT_CONNECT_NOW,
                        "the database can't be reached now: " + cause.getMessage());
        boolean isLost = cause instanceof LeaseLostException lost && lost.isDatabaseLost();
        return isLost ? error : error.withHint(WHEN_ALL_RUN); // else the message says what to do
    }

    private SqlSession sessionOf() {
        SqlSession opened = session;
        if (opened == null) {
            throw new IllegalStateException("the session is not open yet");
        }
        return opened;
    }

    /// @return null if the client requested something else than to connect
    private @Nullable Map<String, String> startup() throws IOException {
        while (in.startup(MAX_STARTUP_BYTES)) {
            int code = in.int32();
            switch (code) {
                case SSL_REQUEST -> secure();
                // A client that prefers encryption goes on without.
                case GSS_REQUEST -> out.lone('N');
                case CANCEL_REQUEST -> {
                    server.cancel(in.int32(), in.int32());
                    return null;
                }
                default -> {
                    return parameters(code);
                }
            }
        }
        return null;
    }

    /// Goes on by TLS, if the server has a certificate.
    ///
    /// @throws ProtocolException if the client has sent more already, which can't be authenticated
    private void secure() throws IOException {
        TlsIdentity tls = server.options().tls();
        if (tls == null || isSecured) {
            out.lone('N');
            return;
        }
        SSLSocket secured = tls.acceptAny(socket);
        in.replace(secured.getInputStream());
        out.lone('S');
        isSecured = true;
        beforeRead(); // limits the time of the handshake
        secured.startHandshake();
        out.replace(secured.getOutputStream());
    }

    private Map<String, String> parameters(int version) throws IOException {
        if (version >> 16 != PROTOCOL_MAJOR) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "unsupported frontend protocol %d.%d: server supports 3.0"
                            .formatted(version >> 16, version & 0xffff));
        }
        Map<String, String> parameters = new LinkedHashMap<>();
        List<String> unknown = new ArrayList<>();
        for (String name = in.string(); !name.isEmpty(); name = in.string()) {
            if (name.startsWith(PROTOCOL_OPTION)) {
                unknown.add(name);
                in.string();
            } else {
                parameters.put(name, in.string());
            }
        }
        if ((version & 0xffff) > 0 || !unknown.isEmpty()) {
            out.begin('v').int32(PROTOCOL_MAJOR << 16).int32(unknown.size());
            unknown.forEach(out::string);
            out.end();
        }
        return parameters;
    }

    /// @return the role that the session is to be of: the one of the user's name, or that of an
    ///     administrator and, where none is asked for a password, of an unknown user: the superuser
    ///     whom every database has
    private Role authenticate(String user) throws IOException {
        Passwords passwords = server.options().passwords();
        // A role of an administrator's name has no effect: else a user that may create and drop
        // roles could take an administrator's rights away, or have those of a dropped one.
        boolean isAdministrator = passwords != null && passwords.contains(user);
        Role role = isAdministrator ? null : server.database().roles().find(user);
        if (passwords != null) {
            out.begin('R').int32(AUTHENTICATION_SASL).string(ScramExchange.MECHANISM).int8(0).end();
            out.flush();
            ScramExchange exchange = new ScramExchange(passwords.verifier(user, role));
            expectPassword();
            if (!in.string().equals(ScramExchange.MECHANISM)) {
                throw new ProtocolException("client selected an invalid SASL mechanism");
            }
            String answer = exchange.first(in.text(in.int32()));
            out.begin('R').int32(AUTHENTICATION_SASL_CONTINUE).text(answer).end();
            out.flush();
            expectPassword();
            String last = exchange.last(in.text(in.remaining()));
            if (last.isEmpty()) {
                throw new SqlException(
                        SqlState.INVALID_PASSWORD,
                        "password authentication failed for user \"" + user + "\"");
            }
            out.begin('R').int32(AUTHENTICATION_SASL_FINAL).text(last).end();
        }
        if (role != null && !role.canLogin()) {
            throw new SqlException(
                    SqlState.INVALID_AUTHORIZATION,
                    "role \"" + user + "\" is not permitted to log in");
        }
        if (!server.admit()) {
            throw new SqlException(SqlState.TOO_MANY_SESSIONS, "sorry, too many clients already")
                    .withHint("Close connections, or start the server with more --connections.");
        }
        isAdmitted = true;
        out.begin('R').int32(0).end();
        return role == null ? Role.BOOTSTRAP : role;
    }

    private void expectPassword() throws IOException {
        int type = in.next();
        if (type != 'p') {
            throw new ProtocolException(
                    type == -1
                            ? "the client has left during its authentication"
                            : "expected SASL response, got message type " + type);
        }
    }

    /// Opens the session with the settings that the client requests.
    private void open(Role role, Map<String, String> parameters) throws IOException {
        // One READ of each memory server: what is cached would let a client in that can do nothing.
        List<ServerUsage> _ = server.database().engine().usage();
        SqlSession opened = server.pool().session(number);
        session = opened;
        opened.authenticate(role);
        opened.activity().client(address());
        ServerOptions options = server.options();
        if (!options.allowsProcedures()) {
            opened.refuseJars();
        }
        opened.setDefault(
                "statement_timeout", Long.toString(options.statementTimeout().toMillis()));
        opened.setDefault(
                "idle_in_transaction_session_timeout",
                Long.toString(options.idleInTransactionTimeout().toMillis()));
        Duration logged = options.logMinDuration();
        if (logged != null) {
            opened.setDefault("log_min_duration_statement", Long.toString(logged.toMillis()));
        }
        String more = parameters.remove("options");
        if (more != null) {
            StartupOptions.parse(more).forEach(opened::setDefault);
        }
        parameters.forEach(opened::setDefault);
        for (String name : QueryProtocol.REPORTED) {
            out.begin('S').string(name).string(opened.setting(name)).end();
        }
        out.begin('S')
                .string("session_authorization")
                .string(opened.setting("session_authorization"))
                .end();
        out.begin('K').int32(number).int32(key).end();
    }

    /// Where its client is.
    private String address() {
        InetSocketAddress client = (InetSocketAddress) socket.getRemoteSocketAddress();
        return client.getAddress().getHostAddress() + ":" + client.getPort();
    }

    /// Sends what is complete, and limits the time that a read may take: within a message, and
    /// while the client holds a session.
    private void beforeRead() throws IOException {
        QueryProtocol handler = requests;
        long millis;
        if (handler == null) {
            millis = TimeUnit.NANOSECONDS.toMillis(startupEnd - System.nanoTime());
            if (millis <= 0) {
                throw new SocketTimeoutException("authentication");
            }
        } else {
            handler.flushIfDue();
            millis =
                    in.isInMessage()
                            ? messageMillis()
                            : handler.isHolding()
                                    ? sessionOf().idleInTransactionTimeoutMillis()
                                    : 0;
        }
        int timeout = (int) Math.min(millis, Integer.MAX_VALUE);
        if (timeout != readTimeoutMillis) {
            socket.setSoTimeout(timeout);
            readTimeoutMillis = timeout;
        }
    }

    /// How long the remaining message may take. Long messages get more time as they arrive, so that
    /// a byte at times gains nothing.
    private long messageMillis() throws SocketTimeoutException {
        long nanos =
                server.options().clientTimeout().toNanos() - in.messageNanos(MIN_BYTES_PER_SECOND);
        if (nanos <= 0) {
            throw new SocketTimeoutException("message");
        }
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos));
    }

    private void timedOut() {
        if (requests == null) {
            LOG.debug("connection {} was not authenticated in time", number);
        } else if (in.isInMessage()) {
            end(
                    new SqlException(
                            SqlState.PROTOCOL_VIOLATION,
                            "terminating connection because a message was not completed in time"));
        } else {
            end(
                    new SqlException(
                            SqlState.IDLE_IN_TRANSACTION_TIMEOUT,
                            "terminating connection due to idle-in-transaction timeout"));
        }
    }

    /// Reports why the connection ends, if the client still listens.
    private void end(SqlException why) {
        try {
            ErrorMessages.fatal(out, why);
            out.flush();
        } catch (IOException e) {
            LOG.debug("connection {} is lost: {}", number, e.toString());
        }
    }

    private void close() {
        SqlSession opened = session;
        try {
            if (opened != null) {
                opened.close();
            }
        } catch (RuntimeException e) {
            LOG.warn("the session of connection {} could not be closed", number, e);
        } finally {
            closeSocket();
            server.ended(this, isAdmitted);
        }
    }

    void closeSocket() {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("connection {} is lost: {}", number, e.toString());
        }
    }

    /// Cancels the running statement, if this is the right key. For any thread.
    void cancel(int given) {
        SqlSession opened = session;
        if (given == key && opened != null) {
            opened.cancel();
        }
    }

    /// Ends the connection, and cancels what it runs. For any thread.
    void terminate() {
        SqlSession opened = session;
        if (opened != null) {
            opened.terminate();
        }
        try {
            socket.shutdownInput();
        } catch (IOException e) {
            LOG.debug("connection {} is lost: {}", number, e.toString());
        }
    }

    /// Closes the connection if its client reads nothing, or is not authenticated in time; its
    /// thread finds out. For any thread.
    void closeIfStalled() {
        long limit = server.options().clientTimeout().toNanos();
        boolean isLate = !isAuthenticated && System.nanoTime() - startupEnd > 0;
        if (isLate || out.stalledNanos() > limit) {
            closeSocket();
        }
    }
}
