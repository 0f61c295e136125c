package org.namdb.tpcc.load;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.namdb.compute.NamDb;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.schema.TpccSchema;
import org.namdb.workload.load.LoadThreads;

/// Fills the tables by clause 4.3.3. The same seed, scale and time give the same rows, except for
/// the keys of HISTORY, which are not TPC-C's.
public final class Loader {
    private final NamDb db;
    private final TpccSchema schema;
    private final Scale scale;
    private final long seed;
    private final long nowMicros;

    /// A loader of empty tables.
    ///
    /// @param now the date of everything that is loaded
    public Loader(NamDb db, TpccSchema schema, Scale scale, long seed, Instant now) {
        this.db = db;
        this.schema = schema;
        this.scale = scale;
        this.seed = seed;
        this.nowMicros = ChronoUnit.MICROS.between(Instant.EPOCH, now);
    }

    /// Loads with `threads` threads, each with a session of its own, and waits for them. The first
    /// failure ends all, and is thrown. An interrupt of the caller stops the load like
    /// [LoadProgress#stop].
    ///
    /// @return whether everything is loaded; else it was stopped
    /// @throws org.namdb.compute.TransactionException if memory is full
    /// @throws org.namdb.timestamp.SlotsExhaustedException if there are fewer slots than threads
    public boolean load(int threads, LoadProgress progress) {
        List<LoadPart> parts = LoadPart.all(scale);
        return LoadThreads.load(
                db,
                threads,
                parts.size(),
                progress,
                session -> {
                    LoadWorker worker = new LoadWorker(session, schema, scale, seed, nowMicros);
                    return part -> worker.load(parts.get(part), progress);
                });
    }
}
