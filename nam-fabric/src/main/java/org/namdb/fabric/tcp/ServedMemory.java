package org.namdb.fabric.tcp;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.RegionFile;

/// The regions that an agent opens to others: where they are, how large, and by which key. Every
/// verb is checked here against all of that, whatever its sender has checked.
///
/// Changed by any thread, under the monitor; the agent's thread reads without it, and a region that
/// has been closed is refused from its next verb on.
final class ServedMemory {
    /// A region, and where it can be mapped by other processes of this machine.
    ///
    /// @param file null if it can't
    record Served(Region region, @Nullable RegionFile file) {}

    private record Entry(Served served, long base) {}

    /// What errors name an agent by: `memory server 1 at 10.0.0.1:9000`.
    static String name(List<Served> regions, InetSocketAddress address) {
        String numbers =
                regions.stream()
                        .map(served -> " " + served.region().server())
                        .collect(Collectors.joining(","));
        return "memory server%s at %s:%d"
                .formatted(numbers, address.getHostString(), address.getPort());
    }

    /// A region's description, without the name of its file.
    private static final int REGION_BYTES = 8 * Long.BYTES;

    private volatile @Nullable Entry[] entries = new @Nullable Entry[RemoteAddress.MAX_SERVERS];

    synchronized void open(Served served, long base) {
        @Nullable Entry[] changed = entries.clone();
        changed[served.region().server()] = new Entry(served, base);
        entries = changed;
    }

    synchronized void close(int server) {
        @Nullable Entry[] changed = entries.clone();
        changed[server] = null;
        entries = changed;
    }

    List<Served> all() {
        List<Served> all = new ArrayList<>();
        for (Entry entry : entries) {
            if (entry != null) {
                all.add(entry.served());
            }
        }
        return all;
    }

    /// The file of a server's region; null if other processes can't map it.
    @Nullable RegionFile file(int server) {
        Entry entry = server >= 0 && server < RemoteAddress.MAX_SERVERS ? entries[server] : null;
        return entry == null ? null : entry.served.file();
    }

    /// The native address of a remote one.
    ///
    /// @return above 0 if all of `bytes` lie in the region, both are multiples of 8, and the key
    ///     opens it; else what is wrong, as [#failure] reads it
    long translate(long address, int bytes, int key) {
        Entry entry = entries[RemoteAddress.server(address)];
        if (address >= 0) {
            return failure(FabricException.Kind.BAD_ADDRESS);
        }
        if (entry == null) {
            return failure(FabricException.Kind.PEER_GONE);
        }
        long offset = RemoteAddress.offset(address);
        if (entry.served.region().key() != key) {
            return failure(FabricException.Kind.BAD_KEY);
        }
        if (bytes <= 0
                || offset + bytes > entry.served.region().bytes()
                || ((offset | bytes) & 7) != 0) {
            return failure(FabricException.Kind.BAD_ADDRESS);
        }
        return entry.base + offset;
    }

    /// A failure as a number below 0.
    static long failure(FabricException.Kind kind) {
        return -1L - kind.ordinal();
    }

    /// A failure as the code of a REPLY.
    static int code(long failure) {
        return (int) -failure;
    }

    /// The meaning of a REPLY's code.
    static FabricException.Kind kind(int code) {
        FabricException.Kind[] kinds = FabricException.Kind.values();
        return code >= 1 && code <= kinds.length
                ? kinds[code - 1]
                : FabricException.Kind.CONNECTION_LOST;
    }

    /// All regions as bytes: for each its number, size and key, and its file's identity, with the
    /// length of the name before it; everything in whole words.
    byte[] describe() {
        List<Served> all = all();
        int bytes = Long.BYTES;
        for (Served served : all) {
            bytes += REGION_BYTES + AgentFrame.padded(name(served.file()).length);
        }
        ByteBuffer out = ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
        out.putLong(all.size());
        for (Served served : all) {
            Region region = served.region();
            RegionFile file = served.file();
            byte[] name = name(file);
            out.putLong(region.server()).putLong(region.bytes()).putLong(region.key());
            out.putLong(file == null ? 0 : file.machine().getMostSignificantBits());
            out.putLong(file == null ? 0 : file.machine().getLeastSignificantBits());
            out.putLong(file == null ? 0 : file.device());
            out.putLong(file == null ? 0 : file.inode());
            out.putLong(name.length).put(name).position(AgentFrame.padded(out.position()));
        }
        return out.array();
    }

    private static byte[] name(@Nullable RegionFile file) {
        return file == null
                ? new byte[0]
                : file.path().toAbsolutePath().toString().getBytes(StandardCharsets.UTF_8);
    }

    /// What [#describe] has written.
    static List<Served> read(ByteBuffer in) {
        in.order(ByteOrder.nativeOrder());
        List<Served> all = new ArrayList<>();
        long count = in.getLong();
        for (long i = 0; i < count; i++) {
            Region region = new Region((int) in.getLong(), in.getLong(), (int) in.getLong());
            UUID machine = new UUID(in.getLong(), in.getLong());
            long device = in.getLong();
            long inode = in.getLong();
            byte[] name = new byte[Math.toIntExact(in.getLong())];
            in.get(name).position(AgentFrame.padded(in.position()));
            Path path = name.length == 0 ? null : path(new String(name, StandardCharsets.UTF_8));
            RegionFile file = path == null ? null : new RegionFile(path, machine, device, inode);
            all.add(new Served(region, file));
        }
        return all;
    }

    /// @return null if there can't be such a file here
    private static @Nullable Path path(String name) {
        try {
            return Path.of(name);
        } catch (InvalidPathException e) {
            return null;
        }
    }
}
