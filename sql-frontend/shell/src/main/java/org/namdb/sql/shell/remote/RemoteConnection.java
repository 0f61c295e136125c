package org.namdb.sql.shell.remote;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.namdb.sql.client.ServerSession;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.shell.ShellConnection;
import org.namdb.sql.shell.SnapshotFacts;
import org.namdb.sql.shell.StatementCost;

/// A session with a server.
final class RemoteConnection implements ShellConnection {
    private final ServerSession session;

    RemoteConnection(ServerSession session) {
        this.session = session;
    }

    @Override
    public Result execute(String sql) {
        return session.execute(sql);
    }

    @Override
    public long copyIn(String sql, Reader data) {
        return session.copyIn(sql, data);
    }

    @Override
    public long copyIn(String sql, InputStream data) {
        return session.copyIn(sql, data);
    }

    @Override
    public long copyOut(String sql, OutputStream out) {
        return session.copyOut(sql, out);
    }

    @Override
    public long copyOut(String sql, Writer out) {
        return session.copyOut(sql, out);
    }

    @Override
    public Status status() {
        return switch (session.status()) {
            case IDLE -> Status.IDLE;
            case ACTIVE -> Status.ACTIVE;
            case FAILED -> Status.FAILED;
        };
    }

    /// That of the transaction, if one is open: sessions of a server share slots.
    @Override
    public int slot() {
        return (int) number(shown("namdb.snapshot"), "own_slot");
    }

    @Override
    public void cancel() {
        session.cancel();
    }

    /// The server does not report it while a statement runs.
    @Override
    public String progress() {
        return "";
    }

    @Override
    public StatementCost lastCost() {
        Map<String, String> verbs = shown("namdb.last_verbs");
        return new StatementCost(
                number(verbs, "read"),
                number(verbs, "write"),
                number(verbs, "cas"),
                number(verbs, "faa"),
                number(verbs, "send"),
                number(verbs, "bytes"),
                number(verbs, "round_trips"));
    }

    @Override
    public SnapshotFacts snapshot() {
        Map<String, String> facts = shown("namdb.snapshot");
        SortedMap<Integer, Long> slots = new TreeMap<>();
        for (String slot : facts.getOrDefault("slots", "").split(",", -1)) {
            int colon = slot.indexOf(':');
            if (colon > 0) {
                slots.put(
                        Integer.parseInt(slot.substring(0, colon)),
                        Long.parseLong(slot.substring(colon + 1)));
            }
        }
        return new SnapshotFacts(
                slots,
                facts.containsKey("age_nanos")
                        ? Duration.ofNanos(number(facts, "age_nanos"))
                        : null,
                (int) number(facts, "own_slot"),
                number(facts, "written_rows"),
                number(facts, "held_bytes"));
    }

    /// What the server shows as `name=value name=value`; nothing in a block that has failed, where
    /// it answers nothing.
    private Map<String, String> shown(String setting) {
        Map<String, String> values = new HashMap<>();
        if (session.status() == ServerSession.Status.FAILED) {
            return values;
        }
        try (Result result = session.execute("SHOW " + setting)) {
            while (result.next()) {
                String text = result.text(0);
                for (String pair : text == null ? new String[0] : text.split(" ", -1)) {
                    int equals = pair.indexOf('=');
                    values.put(pair.substring(0, equals), pair.substring(equals + 1));
                }
            }
        } catch (SqlException e) {
            // another server than ours, which does not know the setting
        }
        return values;
    }

    private static long number(Map<String, String> values, String name) {
        return Long.parseLong(values.getOrDefault(name, "0"));
    }

    @Override
    public void close() {
        session.close();
    }
}
