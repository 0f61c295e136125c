package org.namdb.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.namdb.cache.selcc.LineCacheOptions;
import org.namdb.cache.selcc.LineSession;
import org.namdb.compute.NamDb;
import org.namdb.fabric.FirstFailure;
import org.namdb.workload.testbed.Testbed;
import org.namdb.workload.testbed.Testbed.ComputeServer;

/// Memory servers, and compute servers that share cached lines, behind cables.
final class SelccCluster implements AutoCloseable {
    private static final int MEMORY_SERVERS = 2;
    private static final long SERVER_BYTES = 256L << 20;
    private static final int SLOTS = 128;

    private final Testbed testbed;
    private final List<ComputeServer> servers = new ArrayList<>();

    /// Starts memory servers.
    ///
    /// @param cable the time from one end of a cable to the other
    /// @throws IOException if a port can't be had
    SelccCluster(Duration cable) throws IOException {
        testbed = new Testbed(MEMORY_SERVERS, SERVER_BYTES, SLOTS, cable);
    }

    /// Connects compute servers, in place of those that there were.
    void connect(int count, LineCacheOptions lines) throws IOException {
        disconnect();
        for (int server = 0; server < count; server++) {
            servers.add(testbed.connect(lines, false));
        }
    }

    /// Connects one without cables, for loading; the caller closes it.
    ComputeServer connectNear(LineCacheOptions lines) throws IOException {
        return testbed.connect(lines, true);
    }

    int count() {
        return servers.size();
    }

    NamDb db(int server) {
        return servers.get(server).db();
    }

    /// A thread's access to lines.
    LineSession lines(int server) {
        return db(server).lines();
    }

    /// Allocates lines of zeroes.
    List<Long> allocate(int count) {
        List<Long> lines = new ArrayList<>();
        try (LineSession session = lines(0)) {
            for (int i = 0; i < count; i++) {
                lines.add(session.allocate());
            }
        }
        return lines;
    }

    /// Ends the compute servers, which release what they have cached.
    void disconnect() {
        FirstFailure failures = new FirstFailure();
        for (ComputeServer server : servers) {
            failures.attempt(server::close);
        }
        servers.clear();
        failures.rethrow();
    }

    @Override
    public void close() {
        try (testbed) {
            disconnect();
        }
    }
}
