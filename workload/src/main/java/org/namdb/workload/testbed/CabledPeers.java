package org.namdb.workload.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.peer.PeerFabric;
import org.namdb.fabric.peer.tcp.TcpPeerOptions;
import org.namdb.fabric.peer.tcp.TcpPeers;

/// Peers in this process that reach each other by TCP over a cable in front of each. Thread-safe.
public final class CabledPeers implements AutoCloseable {
    private final Duration delay;
    private final List<LongCable> cables = new CopyOnWriteArrayList<>();

    /// Where the others reach a peer, by its number.
    private final Map<Integer, InetSocketAddress> addresses = new ConcurrentHashMap<>();

    /// @param delay the time from one end of a cable to the other
    public CabledPeers(Duration delay) {
        this.delay = delay;
    }

    /// Another peer joins. The caller closes it, before the cables.
    ///
    /// @param process its number
    /// @throws UncheckedIOException if a port can't be had
    public PeerFabric join(int process) {
        TcpPeers joined = new TcpPeers(process, TcpPeerOptions.LOOPBACK, addresses::get);
        try {
            LongCable cable = LongCable.lay(0, joined.address(), delay);
            cables.add(cable);
            addresses.put(
                    process, new InetSocketAddress(joined.address().getAddress(), cable.port()));
            return joined;
        } catch (IOException e) {
            joined.close();
            throw new UncheckedIOException(e);
        }
    }

    /// Cuts the cables.
    @Override
    public void close() {
        FirstFailure failures = new FirstFailure();
        for (LongCable cable : cables) {
            failures.attempt(() -> close(cable));
        }
        failures.rethrow();
    }

    static void close(LongCable cable) {
        try {
            cable.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
