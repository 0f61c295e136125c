package org.namdb.fabric.tcp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FabricException.Kind;
import org.namdb.fabric.Host;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.RequestHandler;
import org.namdb.fabric.shm.MappingProcess;
import org.namdb.fabric.shm.RegionFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The requests to an agent's memory servers: done one after the other, by a thread of their own,
/// so that a long one holds no verb up, and a handler may use verbs itself.
final class AgentCalls implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AgentCalls.class);
    private static final byte[] NOTHING = {};

    /// How long a process may take to end that has been told to.
    private static final long END_NANOS = 5_000_000_000L;

    private final Agent agent;
    private final @Nullable RequestHandler[] handlers =
            new @Nullable RequestHandler[RemoteAddress.MAX_SERVERS];
    private final LinkedBlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();

    /// What the agent's thread shall do with them.
    private final Queue<Runnable> answers = new MpscUnboundedArrayQueue<>(64);

    private final Thread thread;
    private volatile boolean closed;

    AgentCalls(Agent agent, String name) {
        this.agent = agent;
        this.thread = Host.MACHINE.start(name, this::run);
    }

    synchronized void serve(int server, @Nullable RequestHandler handler) {
        handlers[server] = handler;
    }

    private synchronized @Nullable RequestHandler handler(int server) {
        return server < 0 || server >= handlers.length ? null : handlers[server];
    }

    void submit(ServedCall call) {
        waiting.add(() -> handle(call));
    }

    /// Answers a SETTLE, when all calls that have come so far are done.
    void settle(ServedClient client, int queuePair, int number) {
        waiting.add(() -> answer(client, queuePair, number, 0, NOTHING));
    }

    /// Answers a FENCE: when all calls that have come so far are done, and the processes that have
    /// mapped a region are ended. A mapping can't be taken away from outside. That takes a while if
    /// one of them is frozen, say, so it holds up no call.
    ///
    /// @param process the number in the cluster
    void confirmFence(
            ServedClient client,
            int queuePair,
            int number,
            int process,
            Map<MappingProcess, List<RegionFile>> mapping) {
        Runnable ending =
                () -> {
                    boolean isEnded = true;
                    for (Map.Entry<MappingProcess, List<RegionFile>> each : mapping.entrySet()) {
                        isEnded &= end(process, each.getKey(), each.getValue());
                    }
                    int code = isEnded ? 0 : code(Kind.SYSTEM);
                    if (isEnded) {
                        answers.add(() -> agent.ended(process, mapping.keySet()));
                    }
                    answer(client, queuePair, number, code, NOTHING);
                };
        waiting.add(() -> {
            if (mapping.isEmpty()) {
                ending.run();
            } else {
                Thread _ = Host.MACHINE.start("nam-ending-" + process, ending);
            }
        });
    }

    private static boolean end(int number, MappingProcess process, List<RegionFile> files) {
        LOG.warn(
                "killing process {} of this machine: it is compute server {}, which was declared"
                        + " dead, and it has mapped memory that is about to be recovered",
                process.pid(),
                number);
        boolean isEnded = process.end(files, END_NANOS);
        if (isEnded) {
            LOG.info("process {} of this machine changes nothing any more", process.pid());
        } else {
            LOG.error(
                    "process {} of this machine is fenced, but can't be ended: end it by hand, as"
                            + " it has mapped the memory",
                    process.pid());
        }
        return isEnded;
    }

    /// Answers a MAP: whether this process of the machine has mapped the file.
    void lookForMapping(
            ServedClient client,
            int queuePair,
            int number,
            long pid,
            long namespace,
            @Nullable RegionFile file) {
        waiting.add(() -> {
            MappingProcess found = file == null ? null : MappingProcess.find(pid, namespace, file);
            answers.add(() -> agent.mapped(client, queuePair, number, found, file));
            agent.wakeUp();
        });
    }

    /// An answer of one word.
    static byte[] word(long value) {
        return ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(value)
                .array();
    }

    private void answer(ServedClient client, int queuePair, int number, int code, byte[] answer) {
        answers.add(() -> agent.answer(client, queuePair, number, code, answer));
        agent.wakeUp();
    }

    @SuppressWarnings("CatchingUnchecked") // the next request must be answered
    private void run() {
        while (!closed) {
            try {
                waiting.take().run();
            } catch (InterruptedException e) {
                // It is being closed.
            } catch (Throwable e) {
                agent.failed("a request", e); // its client asks again, after its patience
            }
        }
    }

    @SuppressWarnings("CatchingUnchecked") // whatever it is, the next request must be answered
    private void handle(ServedCall call) {
        int server = call.server();
        int code = 0;
        int length = 0;
        try {
            length =
                    RequestHandler.answer(
                            server,
                            handler(server),
                            call.request(),
                            call.requestBytes(),
                            call.reply(),
                            call.replyBytes());
        } catch (Throwable e) {
            agent.failed("a request to memory server " + server, e);
            code = code(e instanceof FabricException known ? known.kind() : Kind.SYSTEM);
        }
        call.handled(code, length);
        answers.add(() -> agent.answer(call));
        agent.wakeUp();
    }

    private static int code(Kind kind) {
        return kind.ordinal() + 1;
    }

    /// For the agent's thread: sends the answers that there are.
    void sendAnswers() {
        for (Runnable next = answers.poll(); next != null; next = answers.poll()) {
            next.run();
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        waiting.add(() -> {});
    }
}
