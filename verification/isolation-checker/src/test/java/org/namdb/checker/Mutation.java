package org.namdb.checker;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.namdb.checker.history.Operation;
import org.namdb.checker.history.Status;

/// A change to a legal history, after which it is none any more, wherever it is made. Each names
/// the rules that may notice.
enum Mutation {
    /// A read returns a value that no transaction wrote.
    READ_OF_NOTHING(Rule.UNWRITTEN_READ, Rule.OWN_WRITE_MISSED, Rule.NON_REPEATABLE_READ) {
        @Override
        boolean apply(Bed bed) {
            return bed.changeRead(read -> true, read -> Long.MAX_VALUE);
        }
    },
    /// A read returns another version of its key, an older or a younger one.
    READ_OF_ANOTHER_VERSION(
            Rule.STALE_READ,
            Rule.FUTURE_READ,
            Rule.OWN_WRITE_MISSED,
            Rule.NON_REPEATABLE_READ,
            Rule.INTERMEDIATE_READ) {
        @Override
        boolean apply(Bed bed) {
            return bed.changeRead(
                    read -> bed.isKnown(read) && bed.otherCommitted(read) != 0,
                    bed::otherCommitted);
        }
    },
    /// A read returns a value of a transaction that has failed.
    READ_OF_A_FAILED_WRITE(
            Rule.ABORTED_READ, Rule.OWN_WRITE_MISSED, Rule.NON_REPEATABLE_READ, Rule.FUTURE_READ) {
        @Override
        boolean apply(Bed bed) {
            return bed.changeRead(read -> bed.failedValue(read) != 0, bed::failedValue);
        }
    },
    /// A read finds nothing.
    READ_OF_ABSENCE(Rule.STALE_READ, Rule.OWN_WRITE_MISSED, Rule.NON_REPEATABLE_READ) {
        @Override
        boolean apply(Bed bed) {
            return bed.changeRead(read -> read.value() != 0 && bed.isKnown(read), read -> 0L);
        }
    },
    /// A transaction whose value was read has failed.
    READ_WRITER_FAILED(Rule.ABORTED_READ) {
        @Override
        boolean apply(Bed bed) {
            return bed.anyReadFromAnother((reader, writer) -> {
                writer.status = Status.FAIL;
                return true;
            });
        }
    },
    /// A transaction whose value was read is not in the history.
    READ_WRITER_REMOVED(Rule.UNWRITTEN_READ) {
        @Override
        boolean apply(Bed bed) {
            return bed.anyReadFromAnother((reader, writer) -> bed.attempts.remove(writer));
        }
    },
    /// The snapshot doesn't show what was read.
    SNAPSHOT_MISSES_WHAT_WAS_READ(Rule.FUTURE_READ) {
        @Override
        boolean apply(Bed bed) {
            return bed.anyReadFromAnother((reader, writer) -> {
                reader.snapshot = with(reader.snapshot, writer.slot, writer.timestamp - 1);
                return true;
            });
        }
    },
    /// The snapshot doesn't show the session's last commit.
    SNAPSHOT_MISSES_OWN_COMMIT(Rule.SESSION_ORDER) {
        @Override
        boolean apply(Bed bed) {
            return bed.anyPairOfASession((first, second) -> {
                if (first.isCommit()) {
                    second.snapshot = with(second.snapshot, first.slot, first.timestamp - 1);
                }
                return first.isCommit();
            });
        }
    },
    /// The snapshot is empty, though an earlier one of the session wasn't.
    SNAPSHOT_DROPPED(Rule.SESSION_ORDER) {
        @Override
        boolean apply(Bed bed) {
            return bed.anyPairOfASession((first, second) -> {
                boolean fits =
                        second.status == Status.OK
                                && Arrays.stream(first.snapshot).anyMatch(e -> e > 0);
                if (fits) {
                    second.snapshot = new long[0];
                }
                return fits;
            });
        }
    },
    /// The snapshot shows the transaction itself.
    SNAPSHOT_SHOWS_ITS_OWN(Rule.SEES_ITSELF) {
        @Override
        boolean apply(Bed bed) {
            return bed.anyCommit(commit -> {
                commit.snapshot = with(commit.snapshot, commit.slot, commit.timestamp);
                return true;
            });
        }
    },
    /// The snapshot shows more of one slot: a commit that has itself seen another, which the
    /// snapshot doesn't show.
    SNAPSHOT_TORN(Rule.TORN_SNAPSHOT) {
        @Override
        boolean apply(Bed bed) {
            return bed.anyCommit(commit ->
                    bed.any(reader -> {
                        boolean fits =
                                reader != commit
                                        && !reader.shows(commit)
                                        && seesMoreElsewhere(commit, reader);
                        if (fits) {
                            reader.snapshot = with(reader.snapshot, commit.slot, commit.timestamp);
                        }
                        return fits;
                    }));
        }
    },
    /// Two transactions have the same commit timestamp.
    TIMESTAMP_TWICE(Rule.DUPLICATE_TIMESTAMP) {
        @Override
        boolean apply(Bed bed) {
            return bed.anyCommit(commit ->
                    bed.anyCommit(other -> {
                        other.slot = commit.slot;
                        other.timestamp = commit.timestamp;
                        return other != commit;
                    }));
        }
    },
    /// Two transactions of a session have each other's commit timestamp.
    TIMESTAMPS_SWAPPED(Rule.TIMESTAMP_ORDER) {
        @Override
        boolean apply(Bed bed) {
            return bed.anyPairOfASession((first, second) -> {
                boolean fits = first.isCommit() && second.isCommit();
                if (fits) {
                    long timestamp = first.timestamp;
                    first.timestamp = second.timestamp;
                    second.timestamp = timestamp;
                }
                return fits;
            });
        }
    },
    /// A transaction that lost a race has committed after all.
    LOSER_COMMITTED(Rule.LOST_UPDATE) {
        @Override
        boolean apply(Bed bed) {
            return bed.any(loser -> {
                if (loser.lostRace) {
                    loser.status = Status.OK;
                    loser.slot = 1_000;
                    loser.timestamp = 1;
                }
                return loser.lostRace;
            });
        }
    },
    /// A commit was acknowledged before a transaction began that doesn't see it.
    ACKNOWLEDGED_EARLIER(Rule.REAL_TIME) {
        @Override
        boolean apply(Bed bed) {
            return bed.anyCommit(commit ->
                    bed.any(reader -> {
                        boolean fits =
                                reader.status == Status.OK
                                        && !reader.shows(commit)
                                        && commit.begin < reader.begin;
                        if (fits) {
                            commit.end = reader.begin - 1;
                        }
                        return fits;
                    }));
        }
    },
    /// A transaction began while another one of its session was running.
    SESSION_OVERLAPS(Rule.SESSION_OVERLAP) {
        @Override
        boolean apply(Bed bed) {
            return bed.anyPairOfASession((first, second) -> {
                second.begin = first.end - 1;
                return first.begin < second.begin;
            });
        }
    };

    /// Of which at least one must be violated.
    @SuppressWarnings("ImmutableEnumChecker") // it is List.of
    final List<Rule> rules;

    Mutation(Rule... rules) {
        this.rules = List.of(rules);
    }

    /// Makes the change.
    ///
    /// @return false if the history offers no place for it
    abstract boolean apply(Bed bed);

    private static long[] with(long[] snapshot, int slot, long element) {
        long[] changed = Arrays.copyOf(snapshot, Math.max(snapshot.length, slot + 1));
        changed[slot] = element;
        return changed;
    }

    private static boolean seesMoreElsewhere(Attempt commit, Attempt reader) {
        return IntStream.range(0, commit.snapshot.length)
                .anyMatch(
                        slot -> slot != commit.slot && commit.element(slot) > reader.element(slot));
    }

    interface OnAttempt {
        boolean apply(Attempt attempt);
    }

    interface OnPair {
        boolean apply(Attempt first, Attempt second);
    }

    interface OnRead {
        boolean test(Operation read);
    }

    interface NewValue {
        long of(Operation read);
    }

    /// A history to be mutated at a random place.
    static final class Bed {
        final List<Attempt> attempts;
        private final Random random;
        private final Map<Long, Attempt> writers = new HashMap<>();

        /// The simulated database never gives a value to two keys.
        Bed(List<Attempt> attempts, Random random) {
            this.attempts = attempts;
            this.random = random;
            for (Attempt attempt : attempts) {
                for (Operation operation : attempt.operations) {
                    if (operation.isWrite()) {
                        writers.put(operation.value(), attempt);
                    }
                }
            }
        }

        /// In random order, until one takes the change.
        boolean any(OnAttempt change) {
            List<Attempt> shuffled = new ArrayList<>(attempts);
            Collections.shuffle(shuffled, random);
            return shuffled.stream().anyMatch(change::apply);
        }

        boolean anyCommit(OnAttempt change) {
            return any(attempt -> attempt.isCommit() && change.apply(attempt));
        }

        boolean anyPairOfASession(OnPair change) {
            return any(first ->
                    attempts.stream()
                            .filter(second -> second.session.equals(first.session))
                            .filter(second -> second.begin >= first.end)
                            .min((one, other) -> Long.compare(one.begin, other.begin))
                            .filter(second -> change.apply(first, second))
                            .isPresent());
        }

        boolean anyReadFromAnother(OnPair change) {
            return any(reader ->
                    reader.operations.stream()
                            .filter(operation -> !operation.isWrite())
                            .map(operation -> writers.get(operation.value()))
                            .anyMatch(writer ->
                                    writer != null
                                            && writer != reader
                                            && writer.isCommit()
                                            && change.apply(reader, writer)));
        }

        boolean changeRead(OnRead fits, NewValue value) {
            return any(reader -> {
                List<Operation> operations = reader.operations;
                for (int place = 0; place < operations.size(); place++) {
                    Operation read = operations.get(place);
                    if (!read.isWrite() && fits.test(read)) {
                        operations.set(place, Operation.read(read.key(), value.of(read)));
                        return true;
                    }
                }
                return false;
            });
        }

        /// Whether the place of the value among the versions is known.
        boolean isKnown(Operation read) {
            Attempt writer = writers.get(read.value());
            return writer == null || writer.status != Status.INFO || writer.slot >= 0;
        }

        /// A value of the read's key, other than its own, that was committed; 0 if there is none.
        long otherCommitted(Operation read) {
            return value(read, Attempt::isCommit);
        }

        /// A value of the read's key that was not committed; 0 if there is none.
        long failedValue(Operation read) {
            return value(read, attempt -> attempt.status == Status.FAIL);
        }

        private long value(Operation read, OnAttempt from) {
            return attempts.stream()
                    .filter(from::apply)
                    .flatMap(attempt -> attempt.operations.stream())
                    .filter(Operation::isWrite)
                    .filter(write -> write.key() == read.key() && write.value() != read.value())
                    .mapToLong(Operation::value)
                    .findFirst()
                    .orElse(0);
        }
    }
}
