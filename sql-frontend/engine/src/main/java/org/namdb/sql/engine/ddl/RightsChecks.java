package org.namdb.sql.engine.ddl;

import java.util.List;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.SqlView;
import org.namdb.sql.engine.role.Authority;
import org.namdb.sql.engine.role.Ownership;
import org.namdb.sql.engine.role.Privilege;
import org.namdb.sql.engine.role.Roles;
import org.namdb.sql.engine.role.Securable;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.language.ast.DdlStatement;
import org.namdb.sql.language.ast.DdlStatement.AlterTable;
import org.namdb.sql.language.ast.DdlStatement.CreateIndex;
import org.namdb.sql.language.ast.DdlStatement.CreateTable;
import org.namdb.sql.language.ast.DdlStatement.DropIndex;
import org.namdb.sql.language.ast.DdlStatement.DropTable;
import org.namdb.sql.language.ast.DdlStatement.Truncate;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.RoleStatement;
import org.namdb.sql.language.ast.RoutineStatement;
import org.namdb.sql.language.ast.SequenceStatement;
import org.namdb.sql.language.ast.ViewStatement;
import org.namdb.sql.language.error.SqlException;

/// Whether a session's role may run DDL: it changes its own tables, empties those that it may
/// truncate, and makes tables if it may create in the schema.
final class RightsChecks {
    private RightsChecks() {}

    /// Missing objects are reported by the DDL itself.
    ///
    /// @throws SqlException 42501 if it may not
    static void require(DdlStatement statement, DdlContext context) {
        Authority authority = context.authority();
        if (authority.isSuperuser()) {
            return;
        }
        switch (statement) {
            case CreateTable create -> {
                if (create.temporary() == null
                        && (!create.ifNotExists()
                                || !context.catalog().hasRelation(create.table().text()))) {
                    requireCreate(authority);
                }
            }
            case DropTable drop -> requireOwner(drop.tables(), context);
            case AlterTable alter -> requireRelationOwner(alter.table(), context);
            case DdlStatement.Comment comment -> CommentSteps.requireRights(comment, context);
            case CreateIndex create -> requireOwner(List.of(create.table()), context);
            case DropIndex drop -> {
                for (Name index : drop.indexes()) {
                    SqlTable table = Indexes.tableOf(context, index.text());
                    if (table != null) {
                        authority.requireOwner("index", index.text(), table.ownership());
                    }
                }
            }
            case DdlStatement.AlterIndex alter -> {
                requireOwner(List.of(alter.index()), context);
                SqlTable table = new Indexes(context).tableOfNamed(alter.index().text());
                if (table != null) {
                    authority.requireOwner("index", alter.index().text(), table.ownership());
                }
            }
            case Truncate truncate -> {
                for (Name name : truncate.tables()) {
                    SqlTable table = context.catalog().find(name.text());
                    if (table != null) {
                        requireTruncate(table, context);
                    }
                }
            }
            case SequenceStatement.CreateSequence create -> {
                if (!create.ifNotExists()
                        || !context.catalog().hasRelation(create.sequence().text())) {
                    requireCreate(authority);
                }
            }
            case SequenceStatement.AlterSequence alter ->
                    requireSequenceOwner(List.of(alter.sequence()), context);
            case SequenceStatement.DropSequence drop ->
                    requireSequenceOwner(drop.sequences(), context);
            case ViewStatement.CreateView create -> {
                SqlView view = context.catalog().findView(create.view().text());
                if (view == null || !create.isReplace()) {
                    requireCreate(authority);
                } else {
                    authority.requireOwner("view", view.name(), view.ownership());
                }
            }
            case ViewStatement.AlterView alter -> requireViewOwner(List.of(alter.view()), context);
            case ViewStatement.DropView drop -> requireViewOwner(drop.views(), context);
            case RoleStatement _ -> {} // by its own rules
            case RoutineStatement routine -> RoutineSteps.requireRights(routine, context);
        }
    }

    /// @throws SqlException 42501 if no tables may be made, 42704 if the role was dropped
    static void requireCreate(Authority authority) {
        authority.require(
                Securable.SCHEMA,
                Roles.SCHEMA,
                authority.roles().of(Securable.SCHEMA, Roles.SCHEMA),
                Privilege.CREATE.bit());
        authority.requireExisting();
    }

    private static void requireOwner(List<Name> tables, DdlContext context) {
        for (Name name : tables) {
            SqlTable table = context.catalog().find(name.text());
            if (table != null) {
                context.authority().requireOwner("table", table.name(), table.ownership());
            }
        }
    }

    /// @throws SqlException 42501 if the session's role does not own the table, view or sequence
    static void requireRelationOwner(Name name, DdlContext context) {
        requireOwner(List.of(name), context);
        requireViewOwner(List.of(name), context);
        requireSequenceOwner(List.of(name), context);
    }

    private static void requireViewOwner(List<Name> names, DdlContext context) {
        for (Name name : names) {
            SqlView view = context.catalog().findView(name.text());
            if (view != null) {
                context.authority().requireOwner("view", view.name(), view.ownership());
            }
        }
    }

    private static void requireSequenceOwner(List<Name> names, DdlContext context) {
        for (Name name : names) {
            Sequence sequence = context.catalog().findSequence(name.text());
            if (sequence != null) {
                context.authority().requireOwner("sequence", sequence.name(), sequence.ownership());
            }
        }
    }

    /// @throws SqlException 42501 if a table may not be emptied
    static void requireTruncate(SqlTable table, DdlContext context) {
        require(table, Privilege.TRUNCATE, context);
    }

    /// @throws SqlException 42501 if a table may not be read
    static void requireSelect(SqlTable table, DdlContext context) {
        require(table, Privilege.SELECT, context);
    }

    /// @throws SqlException 42501 if no foreign key may refer to a table
    static void requireReferences(SqlTable table, DdlContext context) {
        require(table, Privilege.REFERENCES, context);
    }

    private static void require(SqlTable table, Privilege privilege, DdlContext context) {
        Ownership ownership = table.ownership();
        context.authority().require(Securable.TABLE, table.name(), ownership, privilege.bit());
    }
}
