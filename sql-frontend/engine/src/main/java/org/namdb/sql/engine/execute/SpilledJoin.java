package org.namdb.sql.engine.execute;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.JoinKind;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.spill.TupleFile;
import org.namdb.sql.engine.spill.TuplePartitions;
import org.namdb.sql.engine.spill.WorkMemory;

/// The inputs of a hash join whose hash table does not fit into memory (a Grace hash join): both
/// are spilled to partitions by the hashes of their keys, and a pair of partitions is joined at a
/// time. A partition that is still too large is partitioned again; where that does not help, since
/// too many of its tuples have one key, it is joined in *chunks*: one table after the other, each
/// of which is probed with the whole partition of the other side.
final class SpilledJoin {
    private static final int MAX_DEPTH = 3;

    private final Execution execution;
    private final WorkMemory memory;
    private final HashKey buildKey;
    private final HashKey probeKey;
    private final EvaluationFrame frame;
    private final JoinKind kind;
    private final Deque<Pair> waiting = new ArrayDeque<>();
    private @Nullable Pair current;

    /// The tuples of the current pair that are in no table yet; null if there are none.
    private @Nullable TupleCursor chunks;

    /// The first of them.
    private @Nullable Object @Nullable [] ahead;

    private @Nullable TupleCursor probe;
    private int probed;

    /// Of the current pair, the probing tuples that had a partner in one of its chunks, by number.
    private final BitSet hasPartner = new BitSet();

    /// @param build null if there are no tuples
    /// @param probe null if there are no tuples
    private record Pair(@Nullable TupleFile build, @Nullable TupleFile probe, int depth) {
        void close() {
            if (build != null) {
                build.close();
            }
            if (probe != null) {
                probe.close();
            }
        }
    }

    SpilledJoin(
            Execution execution,
            WorkMemory memory,
            HashKey buildKey,
            HashKey probeKey,
            EvaluationFrame frame,
            JoinKind kind) {
        this.execution = execution;
        this.memory = memory;
        this.buildKey = buildKey;
        this.probeKey = probeKey;
        this.frame = frame;
        this.kind = kind;
    }

    /// Spreads the probing tuples as the others are.
    void spread(TuplePartitions build, @Nullable TupleCursor tuples) {
        TuplePartitions probing = new TuplePartitions(memory, build.depth());
        if (tuples != null) {
            for (@Nullable Object[] tuple = tuples.next(); tuple != null; tuple = tuples.next()) {
                execution.tick();
                Object key = probeKey.orNull(frame.on(tuple));
                int partition = probing.of(key);
                boolean mayMatch = key != null && build.file(partition) != null;
                if (mayMatch || !needsRight()) {
                    probing.add(partition, tuple);
                }
            }
        }
        for (int i = 0; i < TuplePartitions.COUNT; i++) {
            TupleFile right = build.file(i);
            TupleFile left = probing.file(i);
            if (left != null || right != null) {
                waiting.push(new Pair(right, left, build.depth() + 1));
            }
        }
    }

    /// Whether a probing tuple without a partner gives nothing.
    private boolean needsRight() {
        return kind == JoinKind.INNER || kind == JoinKind.SEMI;
    }

    /// The next table to probe; null if all is done.
    @Nullable TupleTable next() {
        while (true) {
            if (chunks != null) {
                return nextChunk(new TupleTable(buildKey.isInteger()));
            }
            probe = null;
            if (current != null) {
                current.close();
            }
            Pair pair = waiting.poll();
            current = pair;
            hasPartner.clear();
            if (pair == null) {
                memory.release();
                return null;
            }
            TupleFile build = pair.build();
            if (pair.probe() == null && kind != JoinKind.FULL || build == null && needsRight()) {
                continue;
            }
            chunks = build == null ? null : build.read();
            ahead = chunks == null ? null : chunks.next();
            TupleTable table = nextChunk(new TupleTable(buildKey.isInteger()));
            if (chunks == null || pair.depth() > MAX_DEPTH) {
                return table;
            }
            spreadAnew(pair, table);
        }
    }

    /// Fills a table with as many of the tuples as fit.
    private TupleTable nextChunk(TupleTable table) {
        memory.release();
        TupleCursor source = chunks;
        while (source != null && ahead != null) {
            execution.tick();
            if (!memory.tryTake(ahead, TupleTable.ENTRY_BYTES)) {
                break;
            }
            table.add(buildKey.orNull(frame.on(ahead)), ahead);
            ahead = source.next();
        }
        if (ahead == null) {
            chunks = null;
        }
        Pair pair = current;
        probe = pair == null || pair.probe() == null ? null : pair.probe().read();
        probed = 0;
        return table;
    }

    private void spreadAnew(Pair pair, TupleTable table) {
        TuplePartitions build = new TuplePartitions(memory, pair.depth());
        for (int i = 0; i < table.size(); i++) {
            addTo(build, table.tuple(i));
        }
        TupleCursor rest = chunks;
        for (@Nullable Object[] tuple = ahead; tuple != null && rest != null; tuple = rest.next()) {
            execution.tick();
            addTo(build, tuple);
        }
        chunks = null;
        ahead = null;
        spread(build, pair.probe() == null ? null : pair.probe().read());
    }

    private void addTo(TuplePartitions partitions, @Nullable Object[] tuple) {
        partitions.add(partitions.of(buildKey.orNull(frame.on(tuple))), tuple);
    }

    /// The next tuple to probe the table with; null if there is no more. One that needs no more
    /// than a partner, and had it, is left out.
    @Nullable Object @Nullable [] nextProbe() {
        TupleCursor tuples = probe;
        while (tuples != null) {
            @Nullable Object[] tuple = tuples.next();
            if (tuple == null || !kind.isHalf() || !hasPartner.get(probed)) {
                probed++;
                return tuple;
            }
            probed++;
        }
        return null;
    }

    /// The probing tuple that was given last has a partner.
    void matched() {
        hasPartner.set(probed - 1);
    }

    /// Whether the probing tuple that was given last has no partner in any chunk.
    boolean isUnmatched() {
        return chunks == null && !hasPartner.get(probed - 1);
    }
}
