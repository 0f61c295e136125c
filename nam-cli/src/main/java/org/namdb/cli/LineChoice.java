package org.namdb.cli;

import java.util.List;
import java.util.SplittableRandom;
import org.namdb.cache.selcc.LineGuard;
import org.namdb.cache.selcc.LineSession;
import org.namdb.ycsb.Zipfian;

/// The accesses of SELCC's micro-benchmark (section 7.1): reads and writes of a word of lines that
/// are chosen at random. Belongs to one thread.
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
            LineSession session, List<Long> lines, int server, int servers, long seed) {
        return new Accesses(this, session, lines, server, servers, new SplittableRandom(seed));
    }

    private static final class Accesses implements LineClients.Operations {
        /// Of the accesses with a skew above 1, one in so many is to another line: 1 / zeta(10).
        private static final int OTHER_LINE = 1_000;

        private final LineChoice choice;
        private final LineSession session;
        private final List<Long> lines;
        private final int server;
        private final int servers;
        private final SplittableRandom random;
        private final Zipfian zipfian;
        private long line;
        private long sum;

        Accesses(
                LineChoice choice,
                LineSession session,
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
                    new Zipfian(
                            lines.size(),
                            choice.theta > 0 && choice.theta < 1 ? choice.theta : 0.5);
            this.line = lines.getFirst();
        }

        @Override
        public void next() {
            if (random.nextInt(100) >= choice.samePercent) {
                line = lines.get(number());
            }
            int offset = Long.BYTES * random.nextInt(session.lineBytes() / Long.BYTES);
            if (random.nextInt(100) < choice.readPercent) {
                try (LineGuard guard = session.shared(line)) {
                    sum += guard.longAt(offset);
                }
            } else {
                try (LineGuard guard = session.exclusive(line)) {
                    guard.putLong(offset, ++sum);
                }
            }
        }

        private int number() {
            if (choice.theta > 1) {
                return random.nextInt(OTHER_LINE) == 0 ? 1 : 0;
            }
            if (choice.theta > 0) {
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
        public LineSession lines() {
            return session;
        }

        @Override
        public void close() {
            session.close();
        }
    }
}
