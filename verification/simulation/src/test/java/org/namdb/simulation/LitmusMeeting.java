package org.namdb.simulation;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.SimTrace;

/// A litmus test on cached lines: a few compute servers, each with a thread that does two accesses
/// to the lines `x` and `y`, which hold 0 at first. Before that they read both, or rewrite them, so
/// that the lines lie in one cache or in several, or in none.
final class LitmusMeeting extends CachedLineMeeting {
    private static final int MAX_SHIFT_NANOS = 8_000;
    private static final int WARM_UPS = 3;
    private static final long STARTING_NANOS = 5_000_000;

    /// A litmus test.
    enum Litmus {
        /// Each writes one line, and reads the other one: one of them finds the other's write.
        STORE_BUFFERING("x=1 y", "y=1 x"),
        /// A reader of the second write finds the first.
        MESSAGE_PASSING("x=1 y=1", "y x"),
        /// No read returns what is written because of it.
        LOAD_BUFFERING("x y=1", "y x=1"),
        /// Two readers agree on the order of two writes.
        INDEPENDENT_READS("x=1", "y=1", "x y", "y x"),
        /// Of two pairs of writes in opposite orders, not both first ones are the last.
        TWO_WRITES("x=1 y=2", "y=1 x=2"),
        /// A reader does not go back.
        COHERENCE("x=1", "x x");

        private final String programs;

        Litmus(String... programs) {
            this.programs = String.join("; ", programs);
        }

        /// What was read, in the order of the programs, and what `x` and `y` hold in the end.
        boolean isForbidden(long[] read, long x, long y) {
            return switch (this) {
                case STORE_BUFFERING -> read[0] == 0 && read[1] == 0;
                case MESSAGE_PASSING, COHERENCE -> read[0] == 1 && read[1] == 0;
                case LOAD_BUFFERING -> read[0] == 1 && read[1] == 1;
                case INDEPENDENT_READS ->
                        read[0] == 1 && read[1] == 0 && read[2] == 1 && read[3] == 0;
                case TWO_WRITES -> x == 1 && y == 1;
            };
        }
    }

    private final Litmus litmus;
    private final long[] read = new long[4];
    private long finalX;
    private long finalY;

    private LitmusMeeting(long seed, Litmus litmus) {
        super(seed, SimTrace.off());
        this.litmus = litmus;
        have(litmus.programs.split("; ", -1).length, 1, 2);
    }

    /// Runs it.
    ///
    /// @return what was read and is left, for people; with an exclamation mark if it is forbidden,
    ///     or if something else is wrong
    static String of(long seed, Litmus litmus) {
        try (LitmusMeeting meeting = new LitmusMeeting(seed, litmus)) {
            String wrong = meeting.run();
            return wrong != null ? "! " + wrong : meeting.outcome();
        }
    }

    private String outcome() {
        return "%s %d %d".formatted(Arrays.toString(read), finalX, finalY);
    }

    @Override
    void run(LineClient client, SimHost host, int server, SplittableRandom own) {
        for (int i = 0; i < WARM_UPS; i++) {
            access(client, own.nextBoolean() ? "x" : "y", own.nextInt(3) == 0 ? 0 : -1);
        }
        host.sleep(Math.max(1, STARTING_NANOS - host.nanoTime() + own.nextLong(MAX_SHIFT_NANOS)));
        int next = 0;
        for (int i = 0; i < server; i++) {
            next += (int) Arrays.stream(accesses(i)).filter(each -> !isWrite(each)).count();
        }
        for (String each : accesses(server)) {
            if (isWrite(each)) {
                access(client, each, each.charAt(2) - '0');
            } else {
                read[next++] = access(client, each, -1);
            }
        }
        host.sleep(STARTING_NANOS);
        if (server == 0) {
            finalX = access(client, "x", -1);
            finalY = access(client, "y", -1);
        }
    }

    private String[] accesses(int server) {
        return litmus.programs.split("; ", -1)[server].split(" ", -1);
    }

    private static boolean isWrite(String access) {
        return access.length() > 1;
    }

    /// @param written -1 to read
    /// @return what was found
    private long access(LineClient client, String name, long written) {
        long line = lines().get(name.charAt(0) - 'x');
        long[] found = new long[LAYOUT.lineBytes() / Long.BYTES];
        if (written < 0) {
            client.read(line, found);
            return found[1];
        }
        client.change(line, 1, 2, words -> words[1] = written);
        return 0;
    }

    @Override
    @Nullable String verdict() {
        return litmus.isForbidden(read, finalX, finalY) ? outcome() : null;
    }
}
