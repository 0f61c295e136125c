package org.namdb.sql.client;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// A connection to a server that has accepted its user: messages go both ways.
final class ServerConnection implements AutoCloseable {
    private static final int PROTOCOL = 3 << 16;
    private static final int CANCEL_REQUEST = 80877102;
    private static final int CONNECT_MILLIS = 30_000;
    private static final int BUFFER_BYTES = 64 << 10;
    private static final int AUTHENTICATION_OK = 0;
    private static final int AUTHENTICATION_SASL = 10;
    private static final int AUTHENTICATION_SASL_CONTINUE = 11;
    private static final int AUTHENTICATION_SASL_FINAL = 12;

    private final ServerUrl url;

    /// The connection in clear: closing it never waits for a peer.
    private final Socket raw;

    /// What is written to and read from: the same, or TLS over it.
    private final Socket socket;

    private final DataInputStream in;

    /// What a cancel request names it by.
    private int number;

    private int key;

    /// Whether the server has not proven yet that it knows the password, too.
    private boolean isUnproven;

    private ServerConnection(ServerUrl url, Socket raw, Socket socket) throws IOException {
        this.url = url;
        this.raw = raw;
        this.socket = socket;
        this.in =
                new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES));
    }

    /// Connects.
    ///
    /// @param application the program's name, for the server's statistics
    /// @throws SqlException 08006 if there is no server, or no TLS that the URL requires; 28P01 if
    ///     the password is missing or wrong; and the server's other errors
    static ServerConnection open(ServerUrl url, String application) {
        try {
            return open(url, url.sslMode(), application);
        } catch (SSLException e) {
            if (url.sslMode() != SslMode.PREFER) {
                throw ClientTls.failed(url, e);
            }
        }
        try {
            return open(url, SslMode.DISABLE, application);
        } catch (SSLException e) {
            throw ClientTls.failed(url, e);
        }
    }

    private static ServerConnection open(ServerUrl url, SslMode mode, String application)
            throws SSLException {
        ServerConnection connection = null;
        boolean isConnected = false;
        Socket raw = new Socket();
        try {
            connection = new ServerConnection(url, raw, connect(raw, url.withSslMode(mode)));
            connection.start(application);
            raw.setSoTimeout(0);
            isConnected = true;
            return connection;
        } catch (SSLException e) {
            if (connection == null) {
                throw e; // by the handshake
            }
            throw lost(url.address() + " can't be connected to: " + e.getMessage(), e);
        } catch (ConnectException e) {
            throw lost(url.address() + " can't be connected to: " + e.getMessage(), e)
                    .withHint(
                            "Does a server listen there? The URL, PGHOST and PGPORT choose another one.");
        } catch (UnknownHostException e) {
            throw lost(url.address() + " can't be connected to: there is no such host", e);
        } catch (IOException e) {
            throw lost(url.address() + " can't be connected to: " + e.getMessage(), e);
        } finally {
            if (!isConnected) {
                closeQuietly(raw);
            }
        }
    }

    /// Connects a socket, and secures it.
    ///
    /// @return the one to go on with
    private static Socket connect(Socket raw, ServerUrl url) throws IOException {
        raw.connect(new InetSocketAddress(url.host(), url.port()), CONNECT_MILLIS);
        raw.setTcpNoDelay(true);
        raw.setSoTimeout(CONNECT_MILLIS); // until it is authenticated
        return ClientTls.secure(raw, url);
    }

    /// What is thrown when the connection can't be used any more.
    static SqlException lost(String message, Throwable cause) {
        return new SqlException(SqlState.CONNECTION_FAILURE, message).causedBy(cause);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // it is lost already
        }
    }

    private void start(String application) throws IOException {
        send(
                new Message.Writer()
                        .int32(PROTOCOL)
                        .string("user")
                        .string(url.user())
                        .string("database")
                        .string(url.database())
                        .string("application_name")
                        .string(application)
                        .int8(0)
                        .end((char) 0));
        ScramClient scram = new ScramClient(url.password() == null ? "" : url.password());
        while (true) {
            Message message = read();
            switch (message.type()) {
                case 'R' -> authenticate(message, scram);
                case 'K' -> {
                    number = message.body().getInt();
                    key = message.body().getInt();
                }
                case 'E' -> throw error(message, null);
                case 'Z' -> {
                    return;
                }
                default -> {} // settings
            }
        }
    }

    private void authenticate(Message message, ScramClient scram) throws IOException {
        switch (message.body().getInt()) {
            case AUTHENTICATION_OK -> {
                if (isUnproven) {
                    throw new IOException("the server has not proven that it knows the password");
                }
            }
            case AUTHENTICATION_SASL -> {
                if (url.password() == null) {
                    throw new SqlException(
                                    SqlState.INVALID_PASSWORD, "the server asks for a password")
                            .withHint(
                                    "Write it into the URL, as in //user:password@host, or into"
                                            + " ~/.pgpass or PGPASSWORD.");
                }
                isUnproven = true;
                byte[] first = scram.first().getBytes(StandardCharsets.UTF_8);
                send(
                        new Message.Writer()
                                .string(ScramClient.MECHANISM)
                                .int32(first.length)
                                .bytes(first)
                                .end('p'));
            }
            case AUTHENTICATION_SASL_CONTINUE -> {
                String last = scram.last(message.text());
                send(new Message.Writer().bytes(last.getBytes(StandardCharsets.UTF_8)).end('p'));
            }
            case AUTHENTICATION_SASL_FINAL -> {
                scram.verify(message.text());
                isUnproven = false;
            }
            default -> throw new IOException("the server asks for an unknown authentication");
        }
    }

    /// The number by which the server names the connection, as `pg_backend_pid()` gives it.
    int number() {
        return number;
    }

    /// The next message.
    Message read() throws IOException {
        return Message.read(in);
    }

    void send(Message.Writer messages) throws IOException {
        socket.getOutputStream().write(messages.toByteArray());
    }

    /// Requests the server, by a connection of its own, to cancel what runs on this one. For any
    /// thread.
    void cancel() {
        SslMode mode = isEncrypted() ? url.sslMode() : SslMode.DISABLE;
        try (Socket raw = new Socket()) {
            Socket other = connect(raw, url.withSslMode(mode));
            other.getOutputStream()
                    .write(
                            new Message.Writer()
                                    .int32(CANCEL_REQUEST)
                                    .int32(number)
                                    .int32(key)
                                    .end((char) 0)
                                    .toByteArray());
            int _ = other.getInputStream().read(); // the server closes when it has done so
        } catch (IOException | SqlException e) {
            // nothing is cancelled; the statement reports what is wrong with the connection
        }
    }

    /// Whether what is sent is encrypted.
    boolean isEncrypted() {
        return socket instanceof SSLSocket;
    }

    /// Aborts the connection.
    void abort() {
        closeQuietly(raw);
    }

    /// Takes leave.
    @Override
    public void close() {
        try {
            send(new Message.Writer().end('X'));
        } catch (IOException e) {
            // it is lost already
        } finally {
            closeQuietly(raw);
        }
    }

    /// The error of a message.
    ///
    /// @param text the statement, for the place; null if it is not known
    static SqlException error(Message message, @Nullable String text) {
        String code = "";
        String what = "";
        String detail = null;
        String hint = null;
        String context = null;
        int place = 0;
        for (byte field = message.body().get(); field != 0; field = message.body().get()) {
            String value = message.string();
            switch (field) {
                case 'C' -> code = value;
                case 'M' -> what = value;
                case 'D' -> detail = value;
                case 'H' -> hint = value;
                case 'W' -> context = value;
                case 'P' -> place = Integer.parseInt(value);
                default -> {}
            }
        }
        SqlException error = SqlException.raised(code, what);
        error = detail == null ? error : error.withDetail(detail);
        error = hint == null ? error : error.withHint(hint);
        if (text != null && place > 0 && place <= text.codePointCount(0, text.length())) {
            int offset = text.offsetByCodePoints(0, place - 1);
            error = error.at(new Position(offset, 1)).inText(text);
        }
        return context == null ? error : error.inContext(context);
    }
}
