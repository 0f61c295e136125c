package org.namdb.ycsb;

import java.util.Set;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;

/// Loads the records into lines.
final class YcsbLinePopulation extends YcsbLoad<YcsbLines> {
    YcsbLinePopulation(YcsbOptions options) {
        super(options, "ycsb_lines_load");
    }

    @Override
    public Set<String> tables() {
        return YcsbLines.NAMES;
    }

    @Override
    public YcsbLines create(NamDb db) {
        return YcsbLines.create(db, options);
    }

    @Override
    public YcsbLines open(NamDb db) {
        return YcsbLines.open(db, options);
    }

    @Override
    Records records(Session session, YcsbLines lines) {
        return into(lines.records());
    }
}
