package org.namdb.fabric.tcp;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.Region;

/// The agent of a [LinkSimulation]: an [Agent] without its thread and its sockets, for one client.
/// Its memory server answers each request by a number that it gives out once, as it does with
/// extents.
final class SimulatedAgent {
    /// Of an answer: the request's number, and an extent.
    static final int ANSWER_BYTES = 2 * Long.BYTES;

    private static final UUID CLIENT = new UUID(1, 1);

    private final ServedMemory memory = new ServedMemory();
    private final List<SimulatedWire> wires = new ArrayList<>();
    private final Deque<ServedCall> requests = new ArrayDeque<>();
    private final Set<Long> handled = new HashSet<>();
    private long extents;

    /// Null where it has dropped its client.
    private @Nullable ServedClient served;

    /// @param base the native address of the region
    SimulatedAgent(Region region, long base) {
        memory.open(new ServedMemory.Served(region, null), base);
    }

    List<ServedMemory.Served> regions() {
        return memory.all();
    }

    boolean knowsItsClient() {
        return served != null;
    }

    /// Its client has been away for too long.
    void forget() {
        served = null;
    }

    /// Takes a connection of its client. Nothing of an earlier one is done any more, so the
    /// simulation serves that one no longer.
    SimulatedWire connect() {
        ServedClient known = served;
        if (known == null) {
            known = new ServedClient(CLIENT);
            served = known;
        }
        SimulatedWire next = new SimulatedWire(known);
        wires.add(next);
        return next;
    }

    /// Does what has come over a wire, as far as it is whole.
    ///
    /// @throws IOException if it is malformed
    void serve(SimulatedWire wire) throws IOException {
        NativeBuffer in = wire.atAgent;
        while (in.size() >= AgentFrame.HEAD_BYTES) {
            long at = in.address();
            long head = LocalMemory.longAt(at);
            int bytes = AgentFrame.bytes(head);
            if (in.size() < bytes) {
                return;
            }
            long ids = LocalMemory.longAt(at + 8);
            int pair = AgentFrame.high(ids);
            int number = AgentFrame.low(ids);
            switch (AgentFrame.kind(head)) {
                case AgentFrame.VERBS -> {
                    int _ = ServedConnection.execute(wire.client, memory, at, bytes, wire.toClient);
                }
                case AgentFrame.CALL -> {
                    long words = LocalMemory.longAt(at + 16);
                    ServedCall call =
                            ServedConnection.takeCall(
                                    wire.client, pair, number, words, at, bytes, wire.toClient);
                    if (call != null) {
                        requests.add(call);
                    }
                }
                default -> {
                    long _ = ServedConnection.append(wire.toClient, pair, number, 0, 0, 0);
                }
            }
            in.take(bytes);
        }
    }

    /// Has the next request handled, if there is one, and answers it over whatever connection the
    /// client has now.
    ///
    /// @param wire the client's connection
    /// @return what is wrong; null if nothing
    @Nullable String handleRequest(SimulatedWire wire) {
        ServedCall request = requests.poll();
        if (request == null) {
            return null;
        }
        long requested = LocalMemory.longAt(request.request());
        LocalMemory.putLong(request.reply(), requested);
        LocalMemory.putLong(request.reply() + Long.BYTES, ++extents);
        request.handled(0, ANSWER_BYTES);
        request.answered();
        if (request.client().equals(wire.client)) {
            request.appendTo(wire.toClient);
        }
        return handled.add(requested) ? null : "request %d is handled twice".formatted(requested);
    }

    void free() {
        wires.forEach(SimulatedWire::free);
    }
}
