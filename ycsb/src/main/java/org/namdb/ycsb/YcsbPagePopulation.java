package org.namdb.ycsb;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;

/// Loads the records into pages.
final class YcsbPagePopulation extends YcsbLoad<YcsbPages> {
    private @Nullable YcsbPages pages;

    YcsbPagePopulation(YcsbOptions options) {
        super(options, "ycsb_pages_load");
    }

    @Override
    public Set<String> tables() {
        return Set.of();
    }

    @Override
    public YcsbPages create(NamDb db) {
        YcsbPages created = YcsbPages.create(options);
        pages = created;
        return created;
    }

    /// Pages are gone when a run ends, so no later one finds them.
    @Override
    public YcsbPages open(NamDb db) {
        throw new IllegalStateException("pages of another run");
    }

    @Override
    Records records(Session session, YcsbPages opened) {
        return into(opened.records());
    }

    @Override
    public void close() {
        if (pages != null) {
            pages.close();
        }
    }
}
