package org.namdb.workload.load;

import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.namdb.compute.NamDb;

/// The tables of a benchmark and their rows.
///
/// @param <S> the open tables
public interface Population<S> {
    /// The names of the tables.
    Set<String> tables();

    /// Where the mark of a load lies.
    MarkTable markTable();

    /// How much is to be loaded, by the names of the mark's sizes; the first is the benchmark's
    /// size.
    Map<String, Integer> size();

    /// About how many rows a load has.
    long expectedRows(LoadMark mark);

    /// Whether options require something else than what was loaded before.
    boolean wantsOther(LoadMark mark);

    /// The options for what was loaded before, as in `--warehouses 4`.
    String options(LoadMark mark);

    /// Takes what was loaded before.
    ///
    /// @throws org.namdb.workload.InvalidOptionException if other options make no sense on it
    void learn(LoadMark mark);

    /// Makes empty tables.
    S create(NamDb db);

    /// Opens the tables that were loaded before; after [#learn].
    S open(NamDb db);

    /// How far its only load is.
    RowProgress progress();

    /// Fills empty tables.
    ///
    /// @param now the date of everything that is loaded
    /// @return whether everything is loaded; else it was stopped
    /// @throws org.namdb.compute.TransactionException if memory is full
    boolean load(NamDb db, S tables, int threads, Instant now);
}
