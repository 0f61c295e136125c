package org.namdb.ycsb;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ByteSize;
import org.namdb.workload.OptionCheck;
import org.namdb.workload.RunOptions;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// Everything that decides a run of YCSB: what is loaded, what is run on it, and what every
/// benchmark has.
public final class YcsbOptions extends RunOptions {
    // Measured: 2.3 KiB for a record of 1,000 bytes, as buckets are half full; and its index entry.
    private static final double BYTES_PER_FIELD_BYTE = 2.4;
    private static final int RECORD_BYTES = 200;
    private static final long MIN_SIZE_BYTES = 4L << 20;
    private static final int MAX_FIELDS = 50;
    private static final long DEFAULT_PAGE_MEMORY = 64L << 20;
    private static final long MIN_PAGE_MEMORY = 1L << 20;
    private static final long MAX_PAGE_MEMORY = 64L << 30;
    private static final int MAX_SCAN = 1_000_000;

    @Option(
            names = "--workload",
            order = -2,
            paramLabel = "NAME",
            required = true,
            description =
                    "a (update heavy), b (read heavy), c (read only), d (read latest), e (short"
                            + " ranges) or f (read, modify, write) of YCSB; tree-a (point queries),"
                            + " tree-b (ranges), tree-c or tree-d (point queries and inserts) of"
                            + " the tree-index paper.")
    private Workload workload;

    @Option(
            names = "--store",
            order = -2,
            paramLabel = "STORE",
            defaultValue = "rows",
            description =
                    "Where the records are: rows of a table, each operation a transaction; or cached lines, found by a"
                            + " tree of lines; or pages, in memory and on the disk, found by a tree of pages: each"
                            + " operation on one record (workloads a to d, and f)"
                            + " (default: ${DEFAULT-VALUE}).")
    private Store store;

    @Option(
            names = "--page-memory",
            order = -2,
            paramLabel = "SIZE",
            description =
                    "--store pages: memory for pages; the others are on the disk (default: 64m).")
    private @Nullable ByteSize pageMemory;

    @Option(
            names = "--page-directory",
            order = -2,
            paramLabel = "DIR",
            description =
                    "--store pages: where the file of pages is, which is emptied (default: a"
                            + " temporary directory).")
    private @Nullable Path pageDirectory;

    @Option(
            names = "--records",
            order = -2,
            paramLabel = "N",
            defaultValue = "100000",
            description = "Records to load (default: ${DEFAULT-VALUE}).")
    private int records;

    @Option(
            names = "--fields",
            order = -2,
            paramLabel = "N",
            defaultValue = "10",
            description = "Fields of a record (default: ${DEFAULT-VALUE}).")
    private int fields;

    @Option(
            names = "--field-bytes",
            order = -2,
            paramLabel = "N",
            defaultValue = "100",
            description = "Bytes of a field (default: ${DEFAULT-VALUE}).")
    private int fieldBytes;

    @Option(
            names = "--requests",
            order = -2,
            paramLabel = "DIST",
            description =
                    "Which records are read: zipf:THETA, latest or uniform (default: as the"
                            + " workload has it; zipf:0.99 for most).")
    private @Nullable Requests requests;

    @Option(
            names = "--max-scan",
            order = -2,
            paramLabel = "N",
            defaultValue = "100",
            description =
                    "Workload e: a scan reads 1 to N records, each number as likely as any other"
                            + " (default: ${DEFAULT-VALUE}).")
    private int maxScan;

    @Option(
            names = "--selectivity",
            order = -2,
            paramLabel = "SHARE",
            defaultValue = "0.001",
            description =
                    "Workload tree-b: the share of the records that a range has (default:"
                            + " ${DEFAULT-VALUE}).")
    private double selectivity;

    @Option(
            names = "--entries",
            order = -2,
            description =
                    "Workloads tree-a to tree-d: lookups and ranges read the index's entries and no"
                            + " records, as in the paper.")
    private boolean entries;

    /// Where the records are.
    public enum Store {
        /// Rows of a table of the database.
        ROWS,
        /// Lines that compute servers cache coherently.
        LINES,
        /// Pages in memory and on the disk.
        PAGES;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// To be parsed into, on a machine with so many processors and so much memory.
    public YcsbOptions(int processors, long machineBytes) {
        super(processors, machineBytes);
    }

    /// The options that a line of text gives, as in `--workload c --threads 1`, on the defaults of
    /// a machine. Of an option that is given twice the last one counts.
    ///
    /// @throws org.namdb.workload.InvalidOptionException if they make no sense
    /// @throws CommandLine.ParameterException if they can't be read
    public static YcsbOptions of(int processors, long machineBytes, String text) {
        YcsbOptions options = new YcsbOptions(processors, machineBytes);
        options.parse(text);
        return options;
    }

    /// Teaches a command line to read the types of these options.
    public static CommandLine readBy(CommandLine line) {
        return RunOptions.readBy(line)
                .registerConverter(Store.class, text -> named(text, Store.values()))
                .registerConverter(Workload.class, text -> named(text, Workload.values()))
                .registerConverter(Requests.class, Requests::parse);
    }

    @Override
    protected void registerConverters(CommandLine line) {
        readBy(line);
    }

    @Override
    protected void checkOwn() {
        OptionCheck.range("--records", records, 2, Integer.MAX_VALUE);
        OptionCheck.range("--fields", fields, 1, MAX_FIELDS);
        OptionCheck.range("--field-bytes", fieldBytes, FieldText.MIN_BYTES, 2_000);
        OptionCheck.require(
                fields * fieldBytes <= 30_000,
                "--fields %d with --field-bytes %d are more than the 30000 bytes that a record may"
                        + " have",
                fields,
                fieldBytes);
        OptionCheck.range("--max-scan", maxScan, 1, MAX_SCAN);
        OptionCheck.require(
                selectivity > 0 && selectivity <= 1,
                "--selectivity must be over 0 and at most 1, not %s",
                selectivity);
        OptionCheck.require(
                !isGiven("--selectivity") || workload == Workload.TREE_B,
                "--selectivity is for --workload tree-b, whose ranges have one");
        OptionCheck.require(
                !entries || workload.isOfTree(),
                "--entries is for --workload tree-a to tree-d, whose reads go by the index");
        OptionCheck.require(
                store == Store.ROWS || !workload.isOfTree() && !workload.has(Operation.SCAN),
                "--store %s is for --workload a to d, and f: its records are read by their keys",
                store);
        OptionCheck.require(
                store == Store.ROWS || data() == null && history() == null,
                "--store %s goes neither with --data nor with --history: %s end with the run, and"
                        + " know no transactions",
                store,
                store);
        OptionCheck.require(
                store != Store.PAGES || !cluster().isChosen(),
                "--store pages is for a run in this process, not for --cluster: its pages are in"
                        + " this process's memory and on its disk");
        OptionCheck.require(
                store == Store.PAGES || pageMemory == null && pageDirectory == null,
                "--page-memory and --page-directory are for --store pages");
        OptionCheck.require(
                pageMemory == null
                        || pageMemory.bytes() >= MIN_PAGE_MEMORY
                                && pageMemory.bytes() <= MAX_PAGE_MEMORY,
                "--page-memory must be 1m to 64g");
        OptionCheck.require(
                !isGiven("--max-scan") || workload == Workload.E,
                "--max-scan is for --workload e, whose scans have a number of records");
    }

    boolean wantsOther(int thereRecords, int thereFields, int thereBytes, int thereVersions) {
        return isGiven("--records") && records != thereRecords
                || isGiven("--fields") && fields != thereFields
                || isGiven("--field-bytes") && fieldBytes != thereBytes
                || isGiven("--versions") && versions() != thereVersions;
    }

    void learnLoad(int thereRecords, int thereFields, int thereBytes, int thereVersions) {
        records = thereRecords;
        fields = thereFields;
        fieldBytes = thereBytes;
        learnVersions(thereVersions);
    }

    @Override
    public String benchmark() {
        return "YCSB";
    }

    @Override
    public String command() {
        return "nam ycsb";
    }

    @Override
    public String sizeOption() {
        return "--records";
    }

    @Override
    public long size() {
        return records;
    }

    @Override
    public long estimatedBytes() {
        if (store == Store.PAGES) {
            return MIN_SIZE_BYTES;
        }
        double recordBytes = RECORD_BYTES + BYTES_PER_FIELD_BYTE * fields * fieldBytes;
        return MIN_SIZE_BYTES + Math.round(records * recordBytes);
    }

    @Override
    public void putSize(Map<String, Object> facts) {
        facts.put("workload", workload.toString());
        facts.put("records", records);
        facts.put("fields", fields);
        facts.put("fieldBytes", fieldBytes);
    }

    @Override
    public void putInput(Map<String, Object> facts) {
        facts.put("requests", requests().toString());
        if (store != Store.ROWS) {
            facts.put("store", store.toString());
        }
        if (store == Store.PAGES) {
            facts.put("pageMemory", pageMemoryBytes());
        }
        if (workload == Workload.E) {
            facts.put("maxScan", maxScan);
        }
        if (workload == Workload.TREE_B) {
            facts.put("selectivity", selectivity);
        }
        if (entries) {
            facts.put("entries", true);
        }
    }

    /// Where the records are.
    public Store store() {
        return store;
    }

    /// How much memory there is for pages.
    long pageMemoryBytes() {
        return pageMemory == null ? DEFAULT_PAGE_MEMORY : pageMemory.bytes();
    }

    /// Where the file of pages is; null for a temporary directory.
    @Nullable Path pageDirectory() {
        return pageDirectory;
    }

    /// What is run.
    public Workload workload() {
        return workload;
    }

    /// How many records are loaded.
    public int records() {
        return records;
    }

    /// How many fields a record has.
    public int fields() {
        return fields;
    }

    /// How long a field is.
    public int fieldBytes() {
        return fieldBytes;
    }

    /// Which records are read.
    public Requests requests() {
        return requests == null ? workload.requests() : requests;
    }

    /// The most records that a scan of workload e reads.
    public int maxScan() {
        return maxScan;
    }

    /// Whether reads end at the index's entries.
    public boolean readsEntries() {
        return entries;
    }

    /// How many records a range of workload tree-b has.
    public int rangeRecords() {
        return (int) Math.max(1, Math.round(selectivity * records));
    }
}
