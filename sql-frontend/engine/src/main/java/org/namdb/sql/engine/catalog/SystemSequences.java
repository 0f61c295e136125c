package org.namdb.sql.engine.catalog;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.engine.sequence.SessionSequences;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TypeOids;

/// The relations of the system's catalog about sequences.
public final class SystemSequences {
    private static final int PG_CLASS = 1259;
    private static final int PG_ATTRDEF = 2604;

    private final SystemCatalog catalog;
    private final List<Sequence> sequences;

    SystemSequences(SystemCatalog catalog, List<Sequence> sequences) {
        this.catalog = catalog;
        this.sequences = sequences;
    }

    /// The name of the sequence that a column owns, as SQL writes it; null if it owns none.
    ///
    /// @param table as SQL writes it
    /// @throws SqlException 42P01 if there is no such table, 42703 if it has no such column
    public @Nullable String serial(String table, String column) {
        String read = SessionSequences.name(table);
        String name = catalog.meant.apply(read);
        SqlTable found = catalog.table(catalog.oid(name));
        if (found == null) {
            throw new SqlException(
                    SqlState.UNDEFINED_TABLE, "relation \"" + name + "\" does not exist");
        }
        if (found.columnNumber(column) < 0) {
            throw new SqlException(
                    SqlState.UNDEFINED_COLUMN,
                    "column \"" + column + "\" of relation \"" + name + "\" does not exist");
        }
        for (Sequence sequence : sequences) {
            Sequence.Owner owner = sequence.owner();
            if (owner != null && owner.table().equals(name) && owner.column().equals(column)) {
                String bare = TemporaryNames.bare(sequence.name());
                boolean isPublic = bare.equals(sequence.name());
                return (isPublic ? "public." : "pg_temp.") + SystemCatalog.quoted(bare);
            }
        }
        return null;
    }

    void fill() {
        SystemRelation parameters =
                catalog.add(
                        "pg_sequence",
                        "seqrelid oid, seqtypid oid, seqstart int8, seqincrement int8, seqmax int8, seqmin int8, seqcache int8,"
                                + " seqcycle bool");
        SystemRelation depends =
                catalog.add(
                        "pg_depend",
                        "classid oid, objid oid, objsubid int4, refclassid oid, refobjid oid, refobjsubid int4, deptype text");
        SystemRelation shown =
                catalog.add(
                        "pg_sequences",
                        "schemaname text, sequencename text, sequenceowner text, data_type text, start_value int8, min_value int8,"
                                + " max_value int8, increment_by int8, cycle bool, cache_size int8, last_value int8");
        for (Sequence sequence : sequences) {
            long oid = catalog.oid(sequence.name());
            row(sequence, oid);
            parameters.row(
                    oid,
                    TypeOids.oid(sequence.type()),
                    sequence.start(),
                    sequence.increment(),
                    sequence.max(),
                    sequence.min(),
                    sequence.cache(),
                    sequence.isCycle());
            shown.row(
                    "public",
                    sequence.name(),
                    sequence.ownership().owner(),
                    sequence.type().toString(),
                    sequence.start(),
                    sequence.min(),
                    sequence.max(),
                    sequence.increment(),
                    sequence.isCycle(),
                    sequence.cache(),
                    new SystemRelation.LastValue(sequence.name()));
            Sequence.Owner owner = sequence.owner();
            SqlTable table = owner == null ? null : catalog.table(catalog.oid(owner.table()));
            if (owner != null && table != null) {
                depends.row(
                        PG_CLASS,
                        oid,
                        0,
                        PG_CLASS,
                        catalog.oid(owner.table()),
                        table.columnNumber(owner.column()) + 1,
                        owner.isIdentity() ? "i" : "a");
                dependentDefault(depends, oid, table, owner.column());
            }
        }
    }

    /// The default of a column that owns a sequence depends on it.
    private void dependentDefault(
            SystemRelation depends, long sequence, SqlTable table, String column) {
        Long number = table.columnNumber(column) + 1L;
        for (@Nullable Object[] row : catalog.of("pg_attrdef").rows()) {
            if (Objects.equals(row[1], catalog.oid(table.name()))
                    && Objects.equals(row[2], number)) {
                depends.row(PG_ATTRDEF, row[0], 0, PG_CLASS, sequence, 0, "n");
            }
        }
    }

    /// The row of a sequence in `pg_class`, and those of its columns in `pg_attribute`.
    private void row(Sequence sequence, long oid) {
        catalog.of("pg_class")
                .row(
                        oid,
                        sequence.name(),
                        SystemCatalog.PUBLIC_NAMESPACE,
                        "S",
                        0,
                        3,
                        0,
                        false,
                        false,
                        true,
                        "p",
                        "n",
                        catalog.roles().oid(sequence.ownership().owner()),
                        1f,
                        1,
                        SystemRoles.shown(sequence.ownership()),
                        null,
                        null);
        catalog.attribute(oid, "last_value", SqlType.BIGINT, 1, true, false, "", "");
        catalog.attribute(oid, "log_cnt", SqlType.BIGINT, 2, true, false, "", "");
        catalog.attribute(oid, "is_called", SqlType.BOOLEAN, 3, true, false, "", "");
    }
}
