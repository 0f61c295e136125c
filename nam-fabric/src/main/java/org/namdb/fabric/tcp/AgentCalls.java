package org.namdb.fabric.tcp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FabricException.Kind;
import org.namdb.fabric.Host;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.RequestHandler;
import org.namdb.fabric.shm.MappingProcess;
import org.namdb.fabric.shm.RegionFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The requests to an agent's memory servers: handled by threads of their own, so that a long one
/// holds no verb up, and a handler may use verbs itself. Those of one queue pair are handled one
/// after the other.
final class AgentCalls implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AgentCalls.class);
    private static final byte[] NOTHING = {};

    /// How long a process may take to end after a SIGKILL.
    private static final long END_NANOS = 5_000_000_000L;

    /// How long a request that is being handled may take when its memory server is closed.
    private static final long CLOSE_MILLIS = 10_000;

    private final Agent agent;

    /// What makes the workers of each memory server.
    private final AtomicReferenceArray<@Nullable Supplier<RequestHandler>> served =
            new AtomicReferenceArray<>(RemoteAddress.MAX_SERVERS);

    /// What the agent's thread shall do with them.
    private final Queue<Runnable> answers = new MpscUnboundedArrayQueue<>(64);

    private final Worker[] workers;
    private volatile boolean closed;

    AgentCalls(Agent agent, String name, int threads) {
        this.agent = agent;
        this.workers = new Worker[threads];
        for (int i = 0; i < threads; i++) {
            workers[i] = new Worker(threads == 1 ? name : name + "-" + i);
        }
    }

    /// @param newWorkers null if the server leaves
    void serve(int server, @Nullable Supplier<RequestHandler> newWorkers) {
        served.set(server, newWorkers);
    }

    void submit(ServedCall call) {
        int hash = 31 * call.client().hashCode() + call.queuePair();
        Worker worker = workers[Integer.remainderUnsigned(hash, workers.length)];
        worker.waiting.add(() -> worker.handle(call));
    }

    /// Answers a SETTLE, when all calls that have come so far are done.
    void settle(ServedClient client, int queuePair, int number) {
        afterThoseBefore(() -> answer(client, queuePair, number, 0, NOTHING));
    }

    /// Runs something when all calls that have come so far are done, those included that are being
    /// handled by other threads.
    private void afterThoseBefore(Runnable step) {
        AtomicInteger left = new AtomicInteger(workers.length);
        for (Worker worker : workers) {
            worker.waiting.add(() -> {
                if (left.decrementAndGet() == 0) {
                    step.run();
                }
            });
        }
    }

    /// Answers a FENCE: when all calls that have come so far are done, and the processes that have
    /// mapped a region are ended. A mapping can't be revoked from outside. That takes a while if
    /// one of them is frozen, say, so it delays no call.
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
        Runnable confirmation =
                () -> {
                    if (mapping.isEmpty()) {
                        ending.run();
                    } else {
                        Thread _ = Host.MACHINE.start("nam-ending-" + process, ending);
                    }
                };
        if (PlantedFault.FENCE_BEFORE_REQUESTS.isPlanted()) {
            confirmation.run();
        } else {
            afterThoseBefore(confirmation);
        }
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
    void findMapping(
            ServedClient client,
            int queuePair,
            int number,
            long pid,
            long namespace,
            @Nullable RegionFile file) {
        workers[0].waiting.add(() -> {
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

    private static int code(Kind kind) {
        return kind.ordinal() + 1;
    }

    /// For the agent's thread: sends the answers that there are.
    void sendAnswers() {
        for (Runnable next = answers.poll(); next != null; next = answers.poll()) {
            next.run();
        }
    }

    /// When this returns, no request is being handled any more, unless one takes very long.
    @Override
    public void close() {
        closed = true;
        for (Worker worker : workers) {
            worker.thread.interrupt();
        }
        boolean isInterrupted = false;
        for (Worker worker : workers) {
            try {
                worker.thread.join(CLOSE_MILLIS);
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /// A thread's handler of the requests to a memory server, and what has made it.
    private record Made(Supplier<RequestHandler> by, RequestHandler handler) {}

    /// A thread that handles requests, with a handler of its own for each memory server.
    private final class Worker {
        private final LinkedBlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
        private final @Nullable Made[] made;
        private final Thread thread;

        Worker(String name) {
            made = new @Nullable Made[RemoteAddress.MAX_SERVERS];
            thread = Host.MACHINE.start(name, this::run);
        }

        @SuppressWarnings("CatchingUnchecked") // the next request must be answered
        private void run() {
            while (!closed) {
                try {
                    waiting.take().run();
                } catch (InterruptedException e) {
                    // It is being closed.
                } catch (Throwable e) {
                    agent.failed("a request", e); // its client retries after its timeout
                }
            }
            for (int server = 0; server < made.length; server++) {
                forget(server);
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
                Kind kind = e instanceof FabricException known ? known.kind() : Kind.SYSTEM;
                code = code(kind);
                if (kind == Kind.SYSTEM) {
                    agent.failed("a request to memory server " + server, e);
                }
            }
            call.handled(code, length);
            answers.add(() -> agent.answer(call));
            agent.wakeUp();
        }

        private @Nullable RequestHandler handler(int server) {
            Supplier<RequestHandler> from = served.get(server);
            Made mine = made[server];
            if (mine != null && mine.by.equals(from)) {
                return mine.handler;
            }
            forget(server);
            if (from == null) {
                return null;
            }
            RequestHandler handler = from.get();
            made[server] = new Made(from, handler);
            return handler;
        }

        private void forget(int server) {
            Made mine = made[server];
            made[server] = null;
            if (mine != null) {
                mine.handler.close();
            }
        }
    }
}
