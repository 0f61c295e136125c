package org.namdb.cli;

import java.io.PrintWriter;
import java.time.Instant;
import java.util.Collections;
import java.util.function.Function;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.sql.shell.ShellDatabase;
import org.namdb.sql.shell.ShellException;
import org.namdb.sql.shell.local.LocalDatabase;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.load.LoadProgress;
import org.namdb.tpcc.load.Loader;
import org.namdb.tpcc.schema.TpccSchema;

/// A database with the tables of TPC-C to play with, as `nam sql --tpcc` opens it.
final class TpccDatabase {
    private static final int VERSIONS = 2;
    private static final long SEED = 1;

    private TpccDatabase() {}

    /// Loads it, if it is not there.
    ///
    /// @param requested the options of the database
    /// @param opener opens it with them
    /// @param warehouses how many
    /// @param progress takes a line when it is done
    static ShellDatabase open(
            EmbeddedOptions requested,
            Function<EmbeddedOptions, NamDb> opener,
            int warehouses,
            PrintWriter progress) {
        Scale scale = new Scale(warehouses, 100);
        // Half as much again, for what is done to it.
        long neededBytes = scale.estimatedBytes() * 3 / 2;
        NamDb db =
                opener.apply(
                        requested.withMemoryBytes(Math.max(requested.memoryBytes(), neededBytes)));
        try {
            if (!Collections.disjoint(db.tableNames(), TpccSchema.TABLES)) {
                return LocalDatabase.of(db); // loaded before, into a data directory
            }
            LoadProgress rows = new LoadProgress(scale);
            TpccSchema schema = TpccSchema.create(db, scale, VERSIONS);
            int threads = Runtime.getRuntime().availableProcessors();
            new Loader(db, schema, scale, SEED, Instant.now()).load(threads, rows);
            progress.printf("Loaded TPC-C: %,d rows.%n", rows.rows());
            progress.flush();
            return LocalDatabase.of(db);
        } catch (RuntimeException e) {
            db.close();
            throw new ShellException("TPC-C can't be loaded: " + e.getMessage());
        }
    }
}
