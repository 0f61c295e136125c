package org.namdb.tpcc.load;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.namdb.compute.NamDb;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.TpccOptions;
import org.namdb.tpcc.schema.TpccSchema;
import org.namdb.workload.load.LoadMark;
import org.namdb.workload.load.MarkTable;
import org.namdb.workload.load.Population;

/// The nine tables of TPC-C, for the options.
public final class TpccPopulation implements Population<TpccSchema> {
    private static final String WAREHOUSES = "warehouses";
    private static final String PERCENT = "population";
    private static final MarkTable MARK = new MarkTable("tpcc_load", List.of(WAREHOUSES, PERCENT));

    private final TpccOptions options;
    private final LoadProgress progress;

    public TpccPopulation(TpccOptions options) {
        this.options = options;
        this.progress = new LoadProgress(options.scale());
    }

    @Override
    public Set<String> tables() {
        return TpccSchema.TABLES;
    }

    @Override
    public MarkTable markTable() {
        return MARK;
    }

    @Override
    public Map<String, Integer> size() {
        Map<String, Integer> size = new LinkedHashMap<>();
        size.put(WAREHOUSES, options.scale().warehouses());
        size.put(PERCENT, options.scale().populationPercent());
        return size;
    }

    @Override
    public long expectedRows(LoadMark mark) {
        return LoadProgress.expectedRows(scale(mark));
    }

    @Override
    public boolean wantsOther(LoadMark mark) {
        return options.wantsOther(scale(mark), mark.versions());
    }

    @Override
    public String options(LoadMark mark) {
        return "--warehouses %d --population %d --versions %d"
                .formatted(mark.size(WAREHOUSES), mark.size(PERCENT), mark.versions());
    }

    @Override
    public void learn(LoadMark mark) {
        options.learnLoad(scale(mark), mark.versions(), mark.seed());
    }

    private static Scale scale(LoadMark mark) {
        return new Scale(mark.size(WAREHOUSES), mark.size(PERCENT));
    }

    @Override
    public TpccSchema create(NamDb db) {
        return TpccSchema.create(db, options.scale(), options.versions());
    }

    @Override
    public TpccSchema open(NamDb db) {
        return TpccSchema.open(db, options.scale());
    }

    @Override
    public LoadProgress progress() {
        return progress;
    }

    @Override
    public boolean load(NamDb db, TpccSchema tables, int threads, Instant now) {
        return new Loader(db, tables, options.scale(), options.seed(), now).load(threads, progress);
    }
}
