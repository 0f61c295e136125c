package org.namdb.cache.line;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.memory.client.MemoryClient;
import org.namdb.memory.server.RegionLayout;
import org.namdb.mvcc.MemoryFullException;

/// Allocates lines for all threads of a compute server. It takes whole areas, from the memory
/// servers in turn, and what it has of them is its own until it is allocated. What it has not
/// allocated when its process ends stays unused.
///
/// An area is linked once its head is written:
/// ```
/// WRITE head, next        next: what the memory server's head word was
/// CAS head word           from that to the area; failed: WRITE next again
/// ```
/// Thread-safe; each call is given its thread's own queue pair.
public final class LineAllocator {
    private final LineArea layout;
    private final int servers;
    private final AtomicInteger nextServer;
    private final ConcurrentLinkedQueue<Long> free = new ConcurrentLinkedQueue<>();

    /// Areas that are known to be there. They are never freed.
    private final Set<Long> areas = ConcurrentHashMap.newKeySet();

    /// @param firstServer where the first area comes from, any number: compute servers that begin
    ///     at different ones spread their lines
    public LineAllocator(LineArea layout, int servers, int firstServer) {
        this.layout = layout;
        this.servers = servers;
        this.nextServer = new AtomicInteger(firstServer);
    }

    /// Allocates a line: zeroes, if it is new, else what it held when it was freed.
    ///
    /// @return its address
    /// @throws MemoryFullException if no memory server has space for an area
    public long allocate(MemoryClient client, QueuePair queuePair) {
        Long line = free.poll();
        if (line != null) {
            return line;
        }
        for (int tried = 1; ; tried++) {
            int server = Math.floorMod(nextServer.getAndIncrement(), servers);
            long area = client.allocateAligned(server, LineArea.BYTES);
            if (area != RemoteAddress.NULL) {
                link(queuePair, server, area);
                areas.add(area);
                for (int number = 1; number < layout.lines(); number++) {
                    free.add(layout.line(area, number));
                }
                return layout.line(area, 0);
            }
            if (tried == servers) {
                throw new MemoryFullException(
                        server, LineArea.BYTES, client.usage(server).regionBytes());
            }
        }
    }

    /// Frees a line that no compute server uses or caches any more.
    public void free(long line) {
        assert layout.isLine(line) : RemoteAddress.describe(line);
        free.add(line);
    }

    private void link(QueuePair queuePair, int server, long area) {
        long head = RegionLayout.address(server, RegionLayout.LINE_AREAS_OFFSET);
        long expected = queuePair.readWord(head);
        queuePair.writeWord(area, layout.head());
        while (true) {
            queuePair.writeWord(LineArea.next(area), expected);
            queuePair.await();
            long found = queuePair.casWord(head, expected, area);
            if (found == expected) {
                return;
            }
            expected = found;
        }
    }

    /// Finds the first area of lines on a memory server, the same for all callers; makes it, if
    /// there is none. For lines that are not allocated, but agreed on by their numbers.
    ///
    /// @return its address
    /// @throws IllegalStateException if its lines have another size
    /// @throws MemoryFullException if there is no memory for it
    public long firstArea(MemoryClient client, QueuePair queuePair, int server) {
        long found = oldestArea(queuePair, server);
        if (found == RemoteAddress.NULL) {
            long made = client.allocateAligned(server, LineArea.BYTES);
            if (made == RemoteAddress.NULL) {
                throw new MemoryFullException(
                        server, LineArea.BYTES, client.usage(server).regionBytes());
            }
            link(queuePair, server, made);
            found = oldestArea(queuePair, server); // another one may have been quicker
        }
        long head = queuePair.readWord(found);
        if (head != layout.head()) {
            throw new IllegalStateException(
                    "this cluster's lines have %d bytes, and not %d: compute.line-bytes is the same on all compute servers"
                            .formatted((int) head, layout.lineBytes()));
        }
        areas.add(found);
        return found;
    }

    /// Whether a line is in an area of lines of this size: a READ for the first line of each. Any
    /// other memory must not be latched, as it holds something else.
    ///
    /// @param line an address that a line [can have][LineArea#isLine]
    public boolean isInArea(QueuePair queuePair, long line) {
        long area = LineArea.area(line);
        if (areas.contains(area)) {
            return true;
        }
        boolean isThere =
                RemoteAddress.server(line) < servers && queuePair.readWord(area) == layout.head();
        if (isThere) {
            areas.add(area);
        }
        return isThere;
    }

    private long oldestArea(QueuePair queuePair, int server) {
        long oldest = RemoteAddress.NULL;
        long area =
                queuePair.readWord(RegionLayout.address(server, RegionLayout.LINE_AREAS_OFFSET));
        while (area != RemoteAddress.NULL) {
            oldest = area;
            area = queuePair.readWord(LineArea.next(area));
        }
        return oldest;
    }

    /// The latch words of all lines of a memory server that are not free, each after the address of
    /// its line: a few READs for each area.
    public static List<long[]> latched(QueuePair queuePair, LineArea layout, int server) {
        List<long[]> latched = new ArrayList<>();
        int most = Math.max(1, queuePair.batchBytes() / Long.BYTES);
        long area =
                queuePair.readWord(RegionLayout.address(server, RegionLayout.LINE_AREAS_OFFSET));
        while (area != RemoteAddress.NULL) {
            if (queuePair.readWord(area) == layout.head()) {
                for (int from = 0; from < layout.lines(); from += most) {
                    int to = Math.min(layout.lines(), from + most);
                    addLatched(queuePair, layout, area, from, to, latched);
                }
            }
            area = queuePair.readWord(LineArea.next(area));
        }
        return latched;
    }

    private static void addLatched(
            QueuePair queuePair,
            LineArea layout,
            long area,
            int from,
            int to,
            List<long[]> latched) {
        try (ViewScope _ = queuePair.openViews()) {
            long view =
                    queuePair.read(
                            LineArea.latches(area) + (long) from * Long.BYTES,
                            (to - from) * Long.BYTES);
            queuePair.await();
            for (int number = from; number < to; number++) {
                long word = LocalMemory.longAt(view + (long) (number - from) * Long.BYTES);
                if (word != LatchWord.FREE) {
                    latched.add(new long[] {layout.line(area, number), word});
                }
            }
        }
    }

    /// Takes a station's part out of all latch words of a memory server: nothing is granted to it
    /// any more, and it changes nothing. One compute server alone does that.
    public static void sweep(QueuePair queuePair, LineArea layout, int server, int station) {
        for (long[] each : latched(queuePair, layout, server)) {
            long latch = layout.latch(each[0]);
            long found = each[1];
            long expected;
            do {
                expected = found;
                long rest = LatchWord.without(found, station);
                if (rest == found) {
                    break;
                }
                found = queuePair.casWord(latch, expected, rest);
            } while (found != expected);
        }
    }
}
