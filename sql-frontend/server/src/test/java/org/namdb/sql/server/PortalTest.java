package org.namdb.sql.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// How long portals of the extended protocol live, as in PostgreSQL, whose answers these are.
class PortalTest {
    private ServerFixture db;
    private RawClient client;

    @BeforeEach
    void open() throws SQLException, IOException {
        db = new ServerFixture();
        client = RawClient.ready(db);
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        db.close();
    }

    @Test
    void aRollbackToASavepointClosesPortalsThatWereBoundSince() throws IOException {
        query("BEGIN", "CZT");
        bind("before", "SELECT generate_series(1, 3)");
        assertThat(execute("before", 1)).isEqualTo("12DsZT");
        query("SAVEPOINT s", "CZT");
        bind("after", "SELECT 2");
        assertThat(sync()).isEqualTo("12ZT");
        query("ROLLBACK TO s", "CZT");
        assertThat(execute("before", 0)).isEqualTo("DDCZT");
        assertThat(execute("after", 0)).isEqualTo("E(34000)ZE");
    }

    @Test
    void aRollbackByTheExtendedProtocolClosesThemToo() throws IOException {
        query("BEGIN; SAVEPOINT s", "CCZT");
        bind("after", "SELECT 1");
        bind("", "ROLLBACK TO s");
        assertThat(execute("", 0)).isEqualTo("1212CZT");
        assertThat(execute("after", 0)).isEqualTo("E(34000)ZE");
    }

    @Test
    void aReleasedSavepointLeavesItsPortals() throws IOException {
        query("BEGIN; SAVEPOINT s", "CCZT");
        bind("p", "SELECT 1");
        assertThat(sync()).isEqualTo("12ZT");
        query("RELEASE s; SAVEPOINT t; ROLLBACK TO t", "CCCZT");
        assertThat(execute("p", 0)).isEqualTo("DCZT");
    }

    @Test
    void aPortalThatWasBoundBeforeTheSavepointOfAFailedBlockLivesOn() throws IOException {
        query("BEGIN", "CZT");
        bind("before", "SELECT generate_series(1, 3)");
        assertThat(sync()).isEqualTo("12ZT");
        query("SAVEPOINT s", "CZT");
        bind("after", "SELECT 2");
        assertThat(sync()).isEqualTo("12ZT");
        query("SELECT nothing", "E(42703)ZE");
        assertThat(execute("before", 0)).isEqualTo("E(25P02)ZE");
        assertThat(execute("after", 0)).isEqualTo("E(25P02)ZE");
        assertThat(execute("none", 0)).isEqualTo("E(34000)ZE");
        query("ROLLBACK TO s", "CZT");
        assertThat(execute("before", 0)).isEqualTo("DDDCZT");
        assertThat(execute("after", 0)).isEqualTo("E(34000)ZE");
        query("ROLLBACK", "CZI");
        assertThat(execute("before", 0)).isEqualTo("E(34000)ZI");
    }

    @Test
    void aPortalWhoseStatementHasFailedIsNotRunAgain() throws IOException {
        query("BEGIN", "CZT");
        bind("p", "SELECT 1 / (2 - g) FROM generate_series(1, 3) AS g");
        assertThat(sync()).isEqualTo("12ZT");
        query("SAVEPOINT s", "CZT");
        assertThat(execute("p", 0)).isEqualTo("DE(22012)ZE");
        query("ROLLBACK TO s", "CZT");
        assertThat(execute("p", 0)).isEqualTo("E(55000)ZE");
    }

    /// Before the next Sync, too.
    @Test
    void portalsEndWithTheirBlock() throws IOException {
        query("BEGIN", "CZT");
        bind("p", "SELECT 1");
        bind("", "COMMIT");
        post("", 0);
        assertThat(execute("p", 0)).isEqualTo("1212CE(34000)ZI");
        query("BEGIN", "CZT");
        bind("p", "SELECT 1");
        bind("", "ROLLBACK");
        post("", 0);
        bind("p", "SELECT 2");
        assertThat(execute("p", 0)).isEqualTo("1212C12DCZI");
        query("BEGIN", "CZT");
        bind("p", "SELECT 1");
        bind("", "COMMIT AND CHAIN");
        post("", 0);
        assertThat(execute("p", 0)).isEqualTo("1212CE(34000)ZE");
        query("ROLLBACK", "CZI");
    }

    @Test
    void anImplicitBlockIsNotChained() throws IOException {
        for (String end : new String[] {"COMMIT", "ROLLBACK"}) {
            bind("", "SELECT 1");
            post("", 0);
            bind("", end + " AND CHAIN");
            assertThat(execute("", 0)).isEqualTo("12DC12E(25P01)ZI");
            query("SELECT 1; " + end + " AND CHAIN", "TDCE(25P01)ZI");
        }
    }

    @Test
    void anImplicitBlockHasNoSavepoints() throws IOException {
        query("CREATE TABLE t (id INT PRIMARY KEY)", "CZI");
        for (String statement : new String[] {"SAVEPOINT s", "ROLLBACK TO s", "RELEASE s"}) {
            bind("", "INSERT INTO t VALUES (1)");
            post("", 0);
            bind("", statement);
            assertThat(execute("", 0)).isEqualTo("12C12E(25P01)ZI");
            query("INSERT INTO t VALUES (1); " + statement, "CE(25P01)ZI");
        }
        query("SELECT * FROM t", "TCZI");
    }

    @Test
    void portalsAndCursorsShareTheirNames() throws IOException {
        query("BEGIN; DECLARE c CURSOR FOR SELECT 7", "CCZT");
        bind("p", "SELECT 1");
        assertThat(sync()).isEqualTo("12ZT");
        query("SAVEPOINT s; DECLARE p CURSOR FOR SELECT 2", "CE(42P03)ZE");
        query("ROLLBACK TO s", "CZT");
        bind("c", "SELECT 1");
        assertThat(sync()).isEqualTo("1E(42P03)ZE");
    }

    @Test
    void portalsAreShownAndClosedAsCursorsAre() throws IOException {
        query("BEGIN; DECLARE c CURSOR FOR SELECT 7", "CCZT");
        bind("p", "SELECT 'of p'");
        assertThat(sync()).isEqualTo("12ZT");
        String shown = "SELECT 1 FROM pg_cursors WHERE NOT is_holdable AND name = ";
        query(shown + "'p' AND statement = 'SELECT ''of p''' AND NOT is_scrollable", "TDCZT");
        query(shown + "'c'", "TDCZT");
        query("SAVEPOINT s; CLOSE p", "CCZT");
        query(shown + "'p'", "TCZT");
        assertThat(execute("p", 0)).isEqualTo("E(34000)ZE");
        query("ROLLBACK TO s", "CZT");
        bind("q", "SELECT 1");
        assertThat(sync()).isEqualTo("12ZT");
        query("CLOSE ALL", "CZT");
        assertThat(execute("q", 0)).isEqualTo("E(34000)ZE");
    }

    @Test
    void cursorsAreExecutedAndClosedAsPortals() throws IOException {
        query("BEGIN; DECLARE \"a c\" CURSOR FOR SELECT generate_series(1, 4)", "CCZT");
        assertThat(execute("a c", 2)).isEqualTo("DDsZT");
        query("FETCH \"a c\"", "TDCZT");
        assertThat(execute("a c", 0)).isEqualTo("DCZT");
        assertThat(execute("a c", 1)).isEqualTo("CZT");
        client.raw(RawClient.message('C', "Pa c\0".getBytes(StandardCharsets.UTF_8)));
        assertThat(sync()).isEqualTo("3ZT");
        assertThat(execute("a c", 0)).isEqualTo("E(34000)ZE");
    }

    @Test
    void aFailedBlockBindsAndDescribesNothingThatItWouldNotRun() throws IOException {
        query("CREATE TABLE t (id INT PRIMARY KEY)", "CZI");
        parse("select", "SELECT 1");
        parse("delete", "DELETE FROM t");
        parse("rollback", "ROLLBACK");
        parse("empty", "");
        assertThat(sync()).isEqualTo("1111ZI");
        query("BEGIN", "CZT");
        bindTo("portal", "select");
        assertThat(sync()).isEqualTo("2ZT");
        query("SELECT nothing", "E(42703)ZE");
        for (String statement : new String[] {"select", "delete", "empty"}) {
            bindTo("portal", statement); // a name that is taken
            assertThat(sync()).as(statement).isEqualTo("E(25P02)ZE");
        }
        assertThat(describe("Sselect")).isEqualTo("E(25P02)ZE");
        assertThat(describe("Pportal")).isEqualTo("E(25P02)ZE");
        assertThat(describe("Sdelete")).isEqualTo("tnZE");
        assertThat(describe("Snone")).isEqualTo("E(26000)ZE");
        assertThat(describe("Pnone")).isEqualTo("E(34000)ZE");
        bindTo("", "rollback");
        assertThat(execute("", 0)).isEqualTo("2CZI");
    }

    private void parse(String statement, String sql) throws IOException {
        client.raw(RawClient.message('P', statement, sql, "\0"));
    }

    private void bindTo(String portal, String statement) throws IOException {
        client.raw(RawClient.message('B', portal, statement, "\0\0\0\0\0"));
    }

    private String describe(String what) throws IOException {
        client.raw(RawClient.message('D', what));
        return sync();
    }

    private void query(String sql, String types) throws IOException {
        client.query(sql);
        assertThat(client.until('Z')).as(sql).isEqualTo(types);
    }

    /// Sends Parse and Bind.
    private void bind(String portal, String sql) throws IOException {
        client.raw(RawClient.message('P', "", sql, "\0"));
        client.raw(RawClient.message('B', portal, "", "\0\0\0\0\0"));
    }

    private String execute(String portal, int rows) throws IOException {
        post(portal, rows);
        return sync();
    }

    /// Sends Execute.
    private void post(String portal, int rows) throws IOException {
        byte[] body = (portal + "\0\0\0\0" + (char) rows).getBytes(StandardCharsets.UTF_8);
        client.raw(RawClient.message('E', body));
    }

    private String sync() throws IOException {
        client.raw(RawClient.message('S', new byte[0]));
        return client.until('Z');
    }
}
