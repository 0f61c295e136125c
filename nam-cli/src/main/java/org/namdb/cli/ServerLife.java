package org.namdb.cli;

import java.io.PrintWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// The life of a server's process after its start: it reports that it is ready, and works until it
/// is ended, by SIGTERM or Ctrl-C, or until it can't go on.
final class ServerLife {
    private static final long SAMPLE_MILLIS = 200;
    private static final long CLOSE_SECONDS = 20;

    private ServerLife() {}

    /// Returns when the server is closed.
    ///
    /// @param ready one line for people and scripts
    /// @param isOver whether it can't go on
    /// @return whether it was ended from outside
    static boolean live(PrintWriter out, String ready, Runnable close, BooleanSupplier isOver) {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        Thread hook =
                new Thread(
                        () -> {
                            end.countDown();
                            await(closed, CLOSE_SECONDS, TimeUnit.SECONDS);
                        },
                        "nam-end");
        Runtime.getRuntime().addShutdownHook(hook);
        out.println(ready);
        out.flush();
        boolean isEnded = false;
        while (!isEnded && !isOver.getAsBoolean()) {
            isEnded = await(end, SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
        }
        try {
            close.run();
        } finally {
            closed.countDown();
        }
        return isEnded || !isRemoved(hook);
    }

    /// @return false if the process is about to end
    private static boolean isRemoved(Thread hook) {
        try {
            return Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            return false;
        }
    }

    private static boolean await(CountDownLatch latch, long most, TimeUnit unit) {
        try {
            return latch.await(most, unit);
        } catch (InterruptedException e) {
            return true; // interrupted only to end it
        }
    }
}
