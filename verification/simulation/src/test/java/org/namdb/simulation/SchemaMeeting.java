package org.namdb.simulation;

import java.util.EnumSet;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.TransactionException;
import org.namdb.compute.schema.Table;
import org.namdb.simulated.SimHost;

/// A compute server that repeatedly changes the schema, while a second one uses whatever table `t`
/// it finds; until the first has done all its rounds, or either has found something that is wrong.
abstract class SchemaMeeting {
    private static final int MAX_STEPS = 1000;

    /// The outcome.
    ///
    /// @param ended whether both have ended
    /// @param wrong what was found that is wrong; null for nothing
    record Result(boolean ended, @Nullable String wrong) {
        boolean isFailed() {
            return wrong != null;
        }
    }

    final SplittableRandom random;
    private final long seed;
    private final int rounds;
    private int running = 2;
    private boolean isOver;
    private @Nullable String wrong;

    SchemaMeeting(long seed, int rounds) {
        this.seed = seed;
        this.rounds = rounds;
        this.random = new SplittableRandom(seed);
    }

    /// What is there when they meet.
    abstract void load(NamDb db);

    /// Changes the schema, and checks the outcome.
    ///
    /// @param round from 0
    abstract void define(NamDb db, int round);

    /// Uses the table once. A conflict, or that it was dropped meanwhile, is nothing wrong.
    abstract void use(Session session, Table table);

    /// Has them meet.
    ///
    /// @param optionsSeed what the options of the cluster are drawn from
    final Result meet(long optionsSeed) {
        SimulationOptions options =
                SimulationOptions.ofSeed(optionsSeed, EnumSet.noneOf(Fault.class))
                        .withServers(2, 2);
        try (TestCluster cluster = new TestCluster(seed, options)) {
            cluster.load(this::load, 10);
            start(cluster, "definer", this::defineAll);
            start(cluster, "user", this::useAll);
            for (int step = 0; step < MAX_STEPS && running > 0; step++) {
                cluster.run(10);
            }
            return new Result(running == 0, wrong);
        }
    }

    final void wrong(String what) {
        if (wrong == null) {
            wrong = what;
        }
    }

    final void pause(NamDb db, long mostNanos) {
        db.options().host().sleep(random.nextLong(1, mostNanos));
    }

    private void start(TestCluster cluster, String name, Consumer<NamDb> body) {
        SimHost _ =
                cluster.start(
                        name,
                        (db, host) -> {
                            try {
                                body.accept(db);
                            } catch (RuntimeException | AssertionError e) {
                                wrong(name + ": " + e);
                            }
                            running--;
                        });
    }

    private void defineAll(NamDb db) {
        for (int round = 0; round < rounds && wrong == null; round++) {
            define(db, round);
        }
        isOver = true;
    }

    private void useAll(NamDb db) {
        try (Session session = db.session()) {
            while (!isOver && wrong == null) {
                Table table = db.findTable("t");
                if (table != null) {
                    useOnce(session, table);
                }
                pause(db, 5_000);
            }
        }
    }

    private void useOnce(Session session, Table table) {
        try {
            use(session, table);
        } catch (TransactionException e) {
            // A conflict; or the table was just filled.
        } catch (IllegalStateException e) {
            if (!String.valueOf(e.getMessage()).contains("was dropped")) {
                throw e;
            }
        }
    }
}
