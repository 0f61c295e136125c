package org.namdb.cli;

import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.frame.Guard;
import org.namdb.cache.frame.GuardSession;
import org.namdb.ycsb.Zipfian;

/// The accesses of SELCC's micro-benchmark (section 7.1), and of ScaleStore's (3.4.3): reads
/// and writes of a word of lines or pages that are chosen at random.
///
/// @param sharedPercent how many of a hundred lines all compute servers use; the others are divided
///     among them
/// @param readPercent how many of a hundred accesses read
/// @param samePercent how many of a hundred accesses are to the line of the one before
/// @param theta the skew of a Zipfian distribution; 0 for a uniform one; above 1 nearly all
///     accesses are to one line
record LineChoice(int sharedPercent, int readPercent, int samePercent, double theta) {
    /// With another share of reads.
    LineChoice reading(int percent) {
        return new LineChoice(sharedPercent, percent, samePercent, theta);
    }

    /// The accesses of a thread.
    ///
    /// @param lines all of them
    LineClients.Operations open(
            GuardSession session, List<Long> lines, int server, int servers, long seed) {
        return new Accesses(this, session, lines, server, servers, new SplittableRandom(seed));
    }

    private static final class Accesses implements LineClients.Operations {
        /// Of the accesses with a skew above 1, one in so many is to another line: 1 / zeta(10).
        private static final int OTHER_LINE = 1_000;

        private final LineChoice choice;
        private final GuardSession session;
        private final List<Long> lines;
        private final int server;
        private final int servers;
        private final SplittableRandom random;
        private final @Nullable Zipfian zipfian;
        private long line;
        private long sum;

        Accesses(
                LineChoice choice,
                GuardSession session,
                List<Long> lines,
                int server,
                int servers,
                SplittableRandom random) {
            this.choice = choice;
            this.session = session;
            this.lines = lines;
            this.server = server;
            this.servers = servers;
            this.random = random;
            this.zipfian =
                    choice.theta > 0 && choice.theta < 1
                            ? new Zipfian(lines.size(), choice.theta)
                            : null;
            this.line = lines.getFirst();
        }

        @Override
        public void next() {
            if (random.nextInt(100) >= choice.samePercent) {
                line = lines.get(number());
            }
            int offset = Long.BYTES * random.nextInt(session.lineBytes() / Long.BYTES);
            if (random.nextInt(100) < choice.readPercent) {
                try (Guard guard = session.shared(line)) {
                    sum += guard.longAt(offset);
                }
            } else {
                try (Guard guard = session.exclusive(line)) {
                    guard.putLong(offset, ++sum);
                }
            }
        }

        private int number() {
            if (choice.theta > 1) {
                return random.nextInt(OTHER_LINE) == 0 ? 1 : 0;
            }
            if (zipfian != null) {
                return (int) zipfian.next(random);
            }
            int shared = (int) ((long) lines.size() * choice.sharedPercent / 100);
            int number = random.nextInt(lines.size());
            if (number < shared) {
                return number;
            }
            int own = (lines.size() - shared) / servers;
            return shared + server * own + random.nextInt(own);
        }

        @Override
        public GuardSession session() {
            return session;
        }

        @Override
        public void close() {
            session.close();
        }
    }
}
