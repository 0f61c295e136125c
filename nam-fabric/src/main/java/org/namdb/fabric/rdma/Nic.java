package org.namdb.fabric.rdma;

import com.ibm.disni.verbs.impl.NativeDispatcher;
import com.ibm.disni.verbs.impl.NativeVerbs;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FabricException.Kind;

/// A device, opened: what all connections of a fabric share. Objects of the verbs library are
/// their native addresses.
final class Nic implements AutoCloseable {
    static final short RELIABLE_PORTS = 0x0106;
    static final int RELIABLE_CONNECTION = 2;

    /// How memory may be used: by this side alone, or by verbs of the other, too. The flag for
    /// relaxed ordering (2^20) is in neither: what was posted first is to be seen first.
    static final int LOCAL = 1;

    static final int LOCAL_AND_REMOTE = 1 | 2 | 4 | 8;

    private static final ValueLayout.OfShort PORT =
            ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final short IPV4_FAMILY = 2;
    private static final int SEND_BYTES = 128;
    private static final int RECEIVE_BYTES = 32;
    private static final int COMPLETION_BYTES = 48;

    private final Arena arena = Arena.ofShared();
    private final NativeDispatcher verbs;
    private final Inet4Address address;
    private final long eventChannel;
    private final long binding;
    private final long context;
    private final long domain;
    private final long completionChannel;

    /// Memory, registered.
    ///
    /// @param handle the registration
    /// @param localKey what this side's verbs name
    /// @param remoteKey what the other side's verbs name
    record Registration(long handle, int localKey, int remoteKey) {}

    /// Opens the device that has this address.
    static Nic open(Inet4Address address) {
        NativeDispatcher verbs = library();
        try {
            return new Nic(verbs, address);
        } catch (IOException e) {
            throw new FabricException(
                    Kind.SYSTEM,
                    "the RDMA device at "
                            + address.getHostAddress()
                            + " can't be opened: "
                            + e.getMessage(),
                    e);
        }
    }

    private static NativeDispatcher library() {
        try {
            NativeDispatcher verbs = NativeVerbs.open();
            requireLayouts(verbs);
            return verbs;
        } catch (IOException | LinkageError e) {
            throw new FabricException(
                    Kind.SYSTEM,
                    "RDMA needs DiSNI's native library, and it can't be loaded ("
                            + e.getMessage()
                            + "): build NamDB where gcc, libibverbs-dev and librdmacm-dev are, or"
                            + " name the directory of libdisni.so in -Djava.library.path",
                    e);
        }
    }

    private static void requireLayouts(NativeDispatcher verbs) throws IOException {
        if (verbs._getIbvSendWRSize() != SEND_BYTES
                || verbs._getIbvRecvWRSize() != RECEIVE_BYTES
                || verbs._getIbvWCSize() != COMPLETION_BYTES
                || verbs._getRemoteAddressOffset() != SendQueue.REMOTE_ADDRESS
                || verbs._getRKeyOffset() != SendQueue.REMOTE_KEY) {
            throw new IOException("its work requests are laid out for another machine");
        }
    }

    private Nic(NativeDispatcher verbs, Inet4Address address) throws IOException {
        this.verbs = verbs;
        this.address = address;
        eventChannel = verbs._createEventChannel();
        binding = verbs._createId(eventChannel, RELIABLE_PORTS);
        verbs._bindAddr(binding, socketAddress(arena, new InetSocketAddress(address, 0)));
        context = verbs._getContext(binding);
        domain = verbs._allocPd(context);
        completionChannel = verbs._createCompChannel(context);
    }

    /// The native functions.
    NativeDispatcher verbs() {
        return verbs;
    }

    /// What connections are made from.
    Inet4Address address() {
        return address;
    }

    /// The protection domain: queue pairs reach memory of their own one.
    long domain() {
        return domain;
    }

    /// Where armed completion queues report completions.
    long completionChannel() {
        return completionChannel;
    }

    /// Makes a completion queue.
    long completionQueue(int entries) {
        try {
            return verbs._createCQ(context, completionChannel, entries, 0);
        } catch (IOException e) {
            throw refused("a completion queue of " + entries + " entries", e);
        }
    }

    /// Registers memory, at most 1 GiB of it.
    Registration register(long memory, long bytes, int access) {
        try (Arena keys = Arena.ofConfined()) {
            MemorySegment words = keys.allocate(12, 8);
            long at = words.address();
            long handle = verbs._regMr(domain, memory, (int) bytes, access, at, at + 4, at + 8);
            return new Registration(
                    handle, words.get(ValueLayout.JAVA_INT, 0), words.get(ValueLayout.JAVA_INT, 4));
        } catch (IOException e) {
            throw refused(
                    bytes
                            + " bytes can't be registered, as a process may lock only so much"
                            + " memory (`ulimit -l`): allow more",
                    e);
        }
    }

    /// From now on no verb reaches the memory.
    void deregister(Registration registration) {
        try {
            verbs._deregMr(registration.handle());
        } catch (IOException e) {
            throw refused("memory can't be deregistered from the device", e);
        }
    }

    static FabricException refused(String what, IOException e) {
        return new FabricException(Kind.SYSTEM, what + " (" + e.getMessage() + ")", e);
    }

    /// A native socket address, which lasts as long as the arena.
    /// ```
    /// | family 2 | port 2 | address 4 | zero 8 |     port and address as the network orders bytes
    /// ```
    static long socketAddress(Arena arena, InetSocketAddress of) {
        if (!(of.getAddress() instanceof Inet4Address ipv4)) {
            throw new FabricException(
                    Kind.SYSTEM, "RDMA connections are made by IPv4 addresses, not to " + of);
        }
        MemorySegment native16 = arena.allocate(16, 8);
        native16.set(ValueLayout.JAVA_SHORT, 0, IPV4_FAMILY);
        native16.set(PORT, 2, (short) of.getPort());
        MemorySegment.copy(ipv4.getAddress(), 0, native16, ValueLayout.JAVA_BYTE, 4, 4);
        return native16.address();
    }

    @Override
    public void close() {
        verbs._destroyCompChannel(completionChannel);
        verbs._deallocPd(domain);
        verbs._destroyCmId(binding);
        verbs._destroyEventChannel(eventChannel);
        arena.close();
    }
}
