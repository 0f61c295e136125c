package org.namdb.fabric.tcp;

import java.util.Queue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.namdb.fabric.Host;
import org.namdb.fabric.tls.TlsChannel;

/// Does what takes long in TLS handshakes with an agent's clients, some milliseconds for each, in a
/// thread of its own: the agent has verbs of others to do.
final class TlsWorker implements AutoCloseable {
    private final Agent agent;
    private final LinkedBlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();

    /// What the agent's thread shall go on with.
    private final Queue<Runnable> computed = new MpscUnboundedArrayQueue<>(64);

    private final Thread thread;
    private volatile boolean closed;

    TlsWorker(Agent agent, String name) {
        this.agent = agent;
        this.thread = Host.MACHINE.start(name, this::run);
    }

    /// @param then for the agent's thread
    void compute(TlsChannel channel, Runnable then) {
        waiting.add(() -> {
            channel.compute();
            computed.add(then);
            agent.wakeUp();
        });
    }

    @SuppressWarnings("CatchingUnchecked") // the next client must be accepted
    private void run() {
        while (!closed) {
            try {
                waiting.take().run();
            } catch (InterruptedException e) {
                // It is being closed.
            } catch (Throwable e) {
                agent.failed("a handshake", e); // the client is disconnected as one that is late
            }
        }
    }

    /// For the agent's thread: goes on with the clients that something was computed for.
    void goOn() {
        for (Runnable next = computed.poll(); next != null; next = computed.poll()) {
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
