package org.namdb.sql.engine.ddl;

import java.util.List;
import org.namdb.sql.language.ast.DdlStatement;
import org.namdb.sql.language.ast.DdlStatement.AlterIndex;
import org.namdb.sql.language.ast.DdlStatement.AlterTable;
import org.namdb.sql.language.ast.DdlStatement.CreateIndex;
import org.namdb.sql.language.ast.DdlStatement.CreateTable;
import org.namdb.sql.language.ast.DdlStatement.DropIndex;
import org.namdb.sql.language.ast.DdlStatement.DropTable;
import org.namdb.sql.language.ast.DdlStatement.Truncate;
import org.namdb.sql.language.ast.RoleStatement;
import org.namdb.sql.language.ast.RoutineStatement;
import org.namdb.sql.language.ast.SequenceStatement;
import org.namdb.sql.language.ast.ViewStatement;

/// Runs DDL. It takes effect at once, outside of transactions; a statement that fails has changed
/// nothing.
public final class DdlExecutor {
    private DdlExecutor() {}

    /// The names of the options of CREATE TABLE .. WITH.
    public static List<String> tableOptions() {
        return TableOptions.names();
    }

    /// Whether it changes nothing but names, which tables and views may have of each other.
    public static boolean isRename(DdlStatement statement) {
        return switch (statement) {
            case AlterTable alter ->
                    alter.changes().stream()
                            .allMatch(change ->
                                    change instanceof AlterTable.RenameColumn
                                            || change instanceof AlterTable.RenameTable);
            case ViewStatement.AlterView alter -> alter.newName() != null;
            case SequenceStatement.AlterSequence alter -> alter.newName() != null;
            default -> false;
        };
    }

    /// Refuses one that the session's role may not run. Called before the schema change waits
    /// for running transactions, as others would wait for it. [#run] checks again, since rights may
    /// change in between.
    ///
    /// @throws org.namdb.sql.language.error.SqlException 42501 if it may not
    public static void requireRights(DdlStatement statement, DdlContext context) {
        RightsChecks.require(statement, context);
        if (statement instanceof RoleStatement role && !context.authority().isSuperuser()) {
            String _ = RoleSteps.check(context).run(role);
        }
    }

    /// Runs one, while no transaction runs.
    ///
    /// @return its tag, as `CREATE TABLE`
    /// @throws org.namdb.sql.language.error.SqlException if it can't be done
    public static String run(DdlStatement statement, DdlContext context) {
        RightsChecks.require(statement, context);
        CommentSteps.dropLost(context);
        String tag = perform(statement, context);
        CommentSteps.follow(statement, context);
        return tag;
    }

    private static String perform(DdlStatement statement, DdlContext context) {
        return switch (statement) {
            case CreateTable create -> {
                new CreateTableStep(context, create).run();
                yield "CREATE TABLE";
            }
            case DropTable drop -> {
                new DropSteps(context).drop(drop);
                yield "DROP TABLE";
            }
            case CreateIndex create -> {
                new Indexes(context).create(create);
                yield "CREATE INDEX";
            }
            case DropIndex drop -> {
                new Indexes(context).drop(drop);
                yield "DROP INDEX";
            }
            case AlterIndex alter -> {
                new Indexes(context).rename(alter);
                yield "ALTER INDEX";
            }
            case AlterTable alter -> {
                new AlterTableStep(context, alter).run();
                yield "ALTER TABLE";
            }
            case Truncate truncate -> {
                new DropSteps(context).truncate(truncate);
                yield "TRUNCATE TABLE";
            }
            case DdlStatement.Comment comment -> {
                new CommentSteps(context).run(comment);
                yield "COMMENT";
            }
            case SequenceStatement sequence -> new SequenceSteps(context).run(sequence);
            case ViewStatement view -> new ViewSteps(context).run(view);
            case RoleStatement role -> new RoleSteps(context).run(role);
            case RoutineStatement routine -> new RoutineSteps(context).run(routine);
        };
    }
}
