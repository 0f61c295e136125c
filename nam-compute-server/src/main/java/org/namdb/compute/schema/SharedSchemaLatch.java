package org.namdb.compute.schema;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.Host;

/// A session's side of the [SchemaLatch]: it enters before it touches a table, in a transaction or
/// in background maintenance, and leaves afterwards. Used by the session's thread, except where a
/// method says otherwise.
///
/// Another thread can *borrow* an idle session for a moment: it enters in the place of the
/// session's thread, which waits at its next entrance until the session is returned. Both enter by
/// CAS, so only one of them is inside, and sees all that the other has done there.
public final class SharedSchemaLatch {
    private static final VarHandle ACQUISITIONS;

    static {
        try {
            ACQUISITIONS =
                    MethodHandles.lookup()
                            .findVarHandle(SharedSchemaLatch.class, "acquisitions", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /// How long the session's thread waits before it polls again whether the session was returned.
    private static final long BORROWED_NANOS = 20_000;

    private final SchemaLatch schemaLatch;
    private final Consumer<Runnable> awaitOpen;
    private final Runnable whileWaiting;
    private final Host host;

    /// How many times the session has entered and left, together: odd while it is inside.
    @SuppressWarnings("unused")
    private long acquisitions;

    /// The thread that is inside; null for one that does not [enter][#enter] by itself. Only the
    /// thread inside can rely on it.
    private @Nullable Thread runner;

    /// Whether the thread inside is inside by another session, too.
    private boolean isBeside;

    /// @param awaitOpen yields to the schema change that has closed the latch, and waits for it,
    ///     calling its argument repeatedly
    /// @param whileWaiting called repeatedly while the session waits to enter; what it throws ends
    ///     the wait
    /// @param host lets time pass
    public SharedSchemaLatch(
            SchemaLatch schemaLatch,
            Consumer<Runnable> awaitOpen,
            Runnable whileWaiting,
            Host host) {
        this.schemaLatch = schemaLatch;
        this.awaitOpen = awaitOpen;
        this.whileWaiting = whileWaiting;
        this.host = host;
    }

    /// Enters, as soon as the schema latch is open.
    ///
    /// @param isBeside whether the caller's thread is inside by another session, and stays so until
    ///     it has left this one. It does not wait then: a schema change that has closed the latch
    ///     waits for that session. It reads the sessions one by one; whichever it reads first, it
    ///     finds one that is inside, or this one has left before the other:
    /// ```
    /// change   closes the latch     reads this one: outside               reads the other: inside
    /// thread   is inside by other                     enters and leaves
    /// ```
    /// @throws org.namdb.fabric.FabricException if memory server 0 can't be reached; the session
    ///     is outside
    /// @throws SchemaBusyException if another compute server changes the schema for too long; the
    ///     session is outside
    public void enter(boolean isBeside) {
        Thread thread = Thread.currentThread();
        goIn();
        while (!isBeside && schemaLatch.isClosedTo(thread)) {
            leave();
            awaitOpen();
            goIn();
        }
        this.isBeside = isBeside;
        runner = thread;
    }

    /// Yields to the schema change that has closed the latch, and waits for it. Outside.
    public void awaitOpen() {
        awaitOpen.accept(whileWaiting);
    }

    /// Whether a schema change waits for another session of the thread inside, too, so that no
    /// change can have begun. For the thread inside.
    public boolean isBeside() {
        return isBeside;
    }

    private void goIn() {
        long seen = acquisitions;
        while (isInside(seen) || !ACQUISITIONS.compareAndSet(this, seen, seen + 1)) {
            seen = count();
            if (isInside(seen)) {
                host.sleep(BORROWED_NANOS);
                whileWaiting.run();
                seen = count();
            }
        }
    }

    /// Enters in the place of the session's thread if that is idle, and has been since a time
    /// before. The borrower [leaves][#leave] soon. For any thread.
    ///
    /// @param since what [#count] was at that time
    /// @return whether the session is borrowed; not while the latch is closed
    public boolean borrow(long since) {
        if (isInside(since) || !ACQUISITIONS.compareAndSet(this, since, since + 1)) {
            return false;
        }
        if (schemaLatch.isClosedTo(Thread.currentThread())) {
            leave();
            return false;
        }
        return true;
    }

    /// Enters if no thread is inside, whether or not the latch is closed: the caller touches no
    /// table, and leaves soon. For any thread.
    ///
    /// @return whether it is inside
    public boolean seize() {
        long since = count();
        return !isInside(since) && ACQUISITIONS.compareAndSet(this, since, since + 1);
    }

    /// Whether the thread inside works in the place of the session's thread. For the thread inside.
    public boolean isBorrowed() {
        return runner == null;
    }

    /// How many times the session was entered and left so far, together. For any thread.
    public long count() {
        return (long) ACQUISITIONS.getVolatile(this);
    }

    private static boolean isInside(long count) {
        return (count & 1) == 1;
    }

    public void leave() {
        runner = null;
        ACQUISITIONS.setRelease(this, acquisitions + 1);
    }

    /// Whether the session is inside. For any thread.
    public boolean isEntered() {
        return isInside(count());
    }

    /// Whether it is the current thread that is inside. For any thread, about itself.
    public boolean isEnteredBy(Thread thread) {
        return thread.equals(runner);
    }
}
