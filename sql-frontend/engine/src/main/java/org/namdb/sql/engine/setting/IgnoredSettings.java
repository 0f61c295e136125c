package org.namdb.sql.engine.setting;

import java.util.List;
import java.util.function.Consumer;
import org.namdb.sql.engine.setting.Setting.Kind;

/// PostgreSQL's settings that clients and scripts set and that have no effect here: none of them
/// changes what a statement gives. They take PostgreSQL's values, and are shown as they were set.
final class IgnoredSettings {
    private static final String NOTE = "Kept for clients: it has no effect.";
    private static final String MOST = Integer.toString(Integer.MAX_VALUE);
    private static final String INFINITE = "1.79769e+308";

    private IgnoredSettings() {}

    static void addTo(Consumer<Setting> settings) {
        for (String name :
                List.of(
                        "enable_async_append",
                        "enable_bitmapscan",
                        "enable_gathermerge",
                        "enable_hashagg",
                        "enable_hashjoin",
                        "enable_incremental_sort",
                        "enable_indexonlyscan",
                        "enable_indexscan",
                        "enable_material",
                        "enable_memoize",
                        "enable_mergejoin",
                        "enable_nestloop",
                        "enable_parallel_append",
                        "enable_parallel_hash",
                        "enable_partition_pruning",
                        "enable_seqscan",
                        "enable_sort",
                        "enable_tidscan",
                        "escape_string_warning",
                        "geqo",
                        "jit",
                        "parallel_leader_participation")) {
            settings.accept(new Setting(name, Kind.BOOLEAN, "on", List.of(), NOTE));
        }
        for (String name :
                List.of(
                        "default_transaction_deferrable",
                        "enable_partitionwise_aggregate",
                        "enable_partitionwise_join")) {
            settings.accept(new Setting(name, Kind.BOOLEAN, "off", List.of(), NOTE));
        }
        integer(settings, "commit_delay", "0", "0", "100000");
        integer(settings, "default_statistics_target", "100", "1", "10000");
        integer(settings, "effective_io_concurrency", "1", "0", "1000");
        integer(settings, "from_collapse_limit", "8", "1", MOST);
        integer(settings, "geqo_threshold", "12", "2", MOST);
        integer(settings, "join_collapse_limit", "8", "1", MOST);
        integer(settings, "maintenance_io_concurrency", "10", "0", "1000");
        integer(settings, "max_parallel_maintenance_workers", "2", "0", "1024");
        integer(settings, "max_parallel_workers", "8", "0", "1024");
        integer(settings, "max_parallel_workers_per_gather", "2", "0", "1024");
        real(settings, "cpu_index_tuple_cost", "0.005", "0", INFINITE);
        real(settings, "cpu_operator_cost", "0.0025", "0", INFINITE);
        real(settings, "cpu_tuple_cost", "0.01", "0", INFINITE);
        real(settings, "cursor_tuple_fraction", "0.1", "0", "1");
        real(settings, "hash_mem_multiplier", "2", "1", "1000");
        real(settings, "jit_above_cost", "100000", "-1", INFINITE);
        real(settings, "jit_inline_above_cost", "500000", "-1", INFINITE);
        real(settings, "jit_optimize_above_cost", "500000", "-1", INFINITE);
        real(settings, "parallel_setup_cost", "1000", "0", INFINITE);
        real(settings, "parallel_tuple_cost", "0.1", "0", INFINITE);
        real(settings, "random_page_cost", "4", "0", INFINITE);
        real(settings, "seq_page_cost", "1", "0", INFINITE);
        settings.accept(new Setting("maintenance_work_mem", Kind.MEMORY, "64MB", List.of(), NOTE));
        blocks(settings, "effective_cache_size", "4GB");
        blocks(settings, "min_parallel_index_scan_size", "512kB");
        blocks(settings, "min_parallel_table_scan_size", "8MB");
        blocks(settings, "temp_buffers", "8MB");
        choice(settings, "constraint_exclusion", "partition", "partition", "on", "off");
        choice(settings, "default_toast_compression", "pglz", "pglz", "lz4");
        choice(settings, "force_parallel_mode", "off", "off", "on", "regress");
        choice(
                settings,
                "plan_cache_mode",
                "auto",
                "auto",
                "force_generic_plan",
                "force_custom_plan");
        // Of these only the values that say what holds anyway.
        choice(settings, "password_encryption", "scram-sha-256", "scram-sha-256");
        choice(settings, "session_replication_role", "origin", "origin");
        choice(settings, "lc_monetary", "C", "C", "POSIX");
        choice(settings, "lc_numeric", "C", "C", "POSIX");
        choice(settings, "lc_time", "C", "C", "POSIX");
        settings.accept(new Setting("lc_messages", Kind.TEXT, "C", List.of(), NOTE));
    }

    private static void integer(
            Consumer<Setting> settings, String name, String initial, String least, String most) {
        settings.accept(new Setting(name, Kind.INTEGER, initial, List.of(least, most), NOTE));
    }

    private static void real(
            Consumer<Setting> settings, String name, String initial, String least, String most) {
        settings.accept(new Setting(name, Kind.REAL, initial, List.of(least, most), NOTE));
    }

    private static void blocks(Consumer<Setting> settings, String name, String initial) {
        settings.accept(new Setting(name, Kind.BLOCKS, initial, List.of(), NOTE));
    }

    private static void choice(
            Consumer<Setting> settings, String name, String initial, String... choices) {
        settings.accept(new Setting(name, Kind.CHOICE, initial, List.of(choices), NOTE));
    }
}
