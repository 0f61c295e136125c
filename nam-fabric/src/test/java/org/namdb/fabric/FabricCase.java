package org.namdb.fabric;

import java.nio.ByteOrder;

/// What the cases of the conformance suite work on: a fabric with memory servers 0 and 1, fresh for
/// every test.
public interface FabricCase {
    int SERVERS = 2;

    /// The size of a server's region. That of server 1 ends in half a word, so that even a word can
    /// straddle its end.
    static long regionBytes(int server) {
        return (1 << 16) + 4L * server;
    }

    /// The landing buffers' size, less than a region.
    int LANDING_BYTES = 1 << 14;

    Fabric fabric();

    /// The region of server 0 or 1.
    Region region(int server);

    /// The test's own queue pair to both servers.
    QueuePair queuePair();

    /// Another queue pair to both servers, closed after the test.
    QueuePair connect();

    /// Another queue pair to these regions, closed after the test.
    QueuePair connect(Region... regions);

    default long address(int server, long offset) {
        return RemoteAddress.of(server, offset);
    }

    default long readWord(QueuePair queuePair, long address) {
        long view = queuePair.read(address, 8);
        queuePair.await();
        return LocalMemory.longAcquire(view);
    }

    default long readWord(long address) {
        return readWord(queuePair(), address);
    }

    default void writeWord(QueuePair queuePair, long address, long value) {
        queuePair.writeWord(address, value);
        queuePair.await();
    }

    default void writeWord(long address, long value) {
        writeWord(queuePair(), address, value);
    }

    /// All whole words of a server's region.
    default long[] readRegion(int server) {
        QueuePair queuePair = connect();
        long[] words = new long[(int) (region(server).bytes() / 8)];
        int bytes = LANDING_BYTES / 2;
        for (int offset = 0; offset + 8 <= region(server).bytes(); offset += bytes) {
            int part = (int) Math.min(bytes, (region(server).bytes() & -8) - offset);
            long view = queuePair.read(address(server, offset), part);
            queuePair.await();
            LocalMemory.segment(view, part)
                    .asByteBuffer()
                    .order(ByteOrder.nativeOrder())
                    .asLongBuffer()
                    .get(words, offset / 8, part / 8);
        }
        return words;
    }
}
