package org.namdb.workload.driver;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.selcc.LineCacheOptions;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.journal.RecoveryProgress;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.ServerUsage;
import org.namdb.simulated.tearing.TearingFabric;
import org.namdb.workload.RunOptions;
import org.namdb.workload.report.DatabaseFacts;

/// The database of a run.
public final class RunDatabase {
    private RunDatabase() {}

    /// What it is made of.
    static DatabaseFacts facts(NamDb db, RunOptions options) {
        List<ServerUsage> servers = db.usage();
        long bytes = servers.stream().mapToLong(ServerUsage::regionBytes).sum();
        return new DatabaseFacts(options.cluster().file(), servers.size(), bytes, db.process());
    }

    /// The options of a database in this process.
    ///
    /// @param progress of the recovery of what is there
    public static EmbeddedOptions embedded(RunOptions options, RecoveryProgress progress) {
        return EmbeddedOptions.DEFAULT
                .withMemoryServers(options.memoryServers())
                .withVectorServers(options.vectorServers())
                .withMemoryBytes(options.memoryBytes())
                .withSlots(options.slots())
                .withOracle(options.oracle())
                .withStaleness(options.staleness())
                .withMaxTransactionTime(options.maxTransactionTime())
                .withLines(LineCacheOptions.DEFAULT)
                .withFabric(() -> fabric(options))
                .withJournal(journal(options, progress));
    }

    private static @Nullable JournalOptions journal(RunOptions options, RecoveryProgress progress) {
        return options.data() == null
                ? null
                : JournalOptions.in(options.data())
                        .withDurability(options.durability())
                        .withProgress(progress);
    }

    private static Fabric fabric(RunOptions options) {
        return switch (options.reads()) {
            case IN_PLACE -> new ShmFabric(ShmFabric.Options.DEFAULT);
            case LANDING -> new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false));
            case TEARING -> new TearingFabric(TearingFabric.Options.lines(options.seed()));
        };
    }
}
