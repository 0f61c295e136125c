package org.namdb.fabric.tcp;

import java.util.Queue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.RequestHandler;

/// The requests to an agent's memory servers: done one after the other, by a thread of their own,
/// so that a long one holds no verb up, and a handler may use verbs itself.
final class AgentCalls implements AutoCloseable {
    private static final byte[] NOTHING = {};

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

    void submit(ServedClient client, int queuePair, int number, int server, byte[] request) {
        waiting.add(() -> handle(client, queuePair, number, server, request));
    }

    /// Answers a control with nothing when all calls that have come so far are done.
    void answerAfterAll(ServedClient client, int queuePair, int number) {
        waiting.add(() -> answer(client, queuePair, number, 0, NOTHING));
    }

    private void answer(ServedClient client, int queuePair, int number, int code, byte[] answer) {
        answers.add(() -> agent.answer(client, queuePair, number, code, answer));
        agent.wakeUp();
    }

    private void run() {
        while (!closed) {
            try {
                waiting.take().run();
            } catch (InterruptedException e) {
                // It is being closed.
            }
        }
    }

    @SuppressWarnings("CatchingUnchecked") // whatever it is, the next request must be answered
    private void handle(
            ServedClient client, int queuePair, int number, int server, byte[] request) {
        int code = 0;
        byte[] answer = NOTHING;
        try {
            RequestHandler handler = handler(server);
            if (handler == null) {
                code = FabricException.Kind.PEER_GONE.ordinal() + 1;
            } else {
                answer = handler.handle(request);
            }
        } catch (Throwable e) {
            agent.failed("a request to memory server " + server, e);
            code = FabricException.Kind.SYSTEM.ordinal() + 1;
        }
        answer(client, queuePair, number, code, answer);
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
