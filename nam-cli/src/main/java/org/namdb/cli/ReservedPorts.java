package org.namdb.cli;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// Ports of the loopback interface for servers that listen soon. Were they free only when they were
/// chosen, another cluster that starts at the same time could have the same ones:
/// ```
/// A                           B
/// finds 20007 free
///                             finds 20007 free
/// its server listens there
///                             its server can't
/// ```
/// So each is held, by a UDP socket with its number, until all servers listen. The kernel gives
/// none of them to a connection, or to a server that listens anywhere, as they are below
/// `net.ipv4.ip_local_port_range`.
final class ReservedPorts implements AutoCloseable {
    private static final int FIRST = 20_000;
    private static final int END = 32_768;
    private static final int MAX_TRIES = 10_000;

    private final SplittableRandom random = new SplittableRandom();
    private final List<DatagramSocket> held = new ArrayList<>();

    /// @throws IOException if there are not so many
    ReservedPorts(int count) throws IOException {
        boolean isDone = false;
        try {
            for (int i = 0; i < count; i++) {
                int _ = add();
            }
            isDone = true;
        } finally {
            if (!isDone) {
                close();
            }
        }
    }

    /// One more.
    ///
    /// @throws IOException if there is none
    int add() throws IOException {
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            int port = random.nextInt(FIRST, END);
            if (reserve(port)) {
                return port;
            }
        }
        throw new IOException("there are no free ports from " + FIRST + " to " + (END - 1));
    }

    /// Holds this one, if it is free.
    ///
    /// @return whether it is held now
    boolean reserve(int port) {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        DatagramSocket holder;
        try {
            holder = new DatagramSocket(new InetSocketAddress(loopback, port));
        } catch (SocketException e) {
            return false; // another cluster has it
        }
        try {
            new ServerSocket(port, 1, loopback).close();
            held.add(holder);
            return true;
        } catch (IOException e) {
            holder.close(); // a server listens there
            return false;
        }
    }

    /// All of them; they differ.
    List<Integer> numbers() {
        return held.stream().map(DatagramSocket::getLocalPort).toList();
    }

    /// Others may have them, if no server listens there.
    @Override
    public void close() {
        held.forEach(DatagramSocket::close);
        held.clear();
    }
}
