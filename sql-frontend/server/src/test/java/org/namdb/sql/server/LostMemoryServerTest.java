package org.namdb.sql.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.namdb.sql.server.ServerFixture.error;
import static org.namdb.sql.server.ServerFixture.rows;

import java.sql.Connection;
import org.junit.jupiter.api.Test;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.fabric.shm.ShmFabric;
import org.postgresql.util.ServerErrorMessage;

/// What clients get when a memory server has died beneath their SQL server.
class LostMemoryServerTest {
    private final ShmFabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT);

    private ServerFixture server() {
        return new ServerFixture(
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(64L << 20)
                        .withMemoryServers(2)
                        .withSlots(16)
                        .withFabric(() -> fabric),
                options -> options);
    }

    @Test
    void aClientThatConnectsIsRefusedWithWhatToDo() {
        ServerFixture db = server();
        fabric.leave(0);
        ServerErrorMessage refused = error(() -> db.connect().close());
        assertThat(refused.getSeverity()).isEqualTo("FATAL");
        assertThat(refused.getSQLState()).isEqualTo("57P03");
        assertThat(refused.getMessage()).startsWith("the database can't be reached now: ");
        assertThat(refused.getHint()).contains("nam cluster start").contains("nam status");
        db.server.close();
    }

    /// Of a statement nothing is committed; of a COMMIT that is not known.
    @Test
    void aClientThatIsConnectedGetsAConnectionFailureAndStaysConnected() throws Exception {
        ServerFixture db = server();
        db.run("CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1), (2), (3)");
        Connection idle = db.connect();
        Connection inBlock = db.connect();
        assertThat(rows(idle, "SELECT count(*) FROM t")).isEqualTo("3");
        inBlock.setAutoCommit(false);
        ServerFixture.run(inBlock, "INSERT INTO t VALUES (4)");
        fabric.leave(0);
        requireConnectionFailure(error(() -> rows(idle, "SELECT count(*) FROM t")));
        requireConnectionFailure(error(inBlock::commit));
        assertThat(idle.isValid(60)).isTrue();
        idle.close();
        inBlock.close();
        db.server.close();
    }

    private static void requireConnectionFailure(ServerErrorMessage failed) {
        assertThat(failed.getSeverity()).isEqualTo("ERROR");
        assertThat(failed.getSQLState()).isEqualTo("08006");
        assertThat(failed.getMessage()).startsWith("the connection to a memory server is lost: ");
    }
}
