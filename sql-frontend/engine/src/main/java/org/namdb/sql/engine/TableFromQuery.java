package org.namdb.sql.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.language.ast.DdlStatement;
import org.namdb.sql.language.ast.DdlStatement.ColumnDefinition;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.SqlParser;
import org.namdb.sql.language.result.Notice;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.result.ResultColumn;

/// CREATE TABLE AS: makes a table with the columns of a query, and inserts its rows, in one
/// transaction.
final class TableFromQuery {
    private static final String TAG = "CREATE TABLE AS";
    private static final @Nullable Object[] NO_PARAMETERS = {};

    private final PlannedStatements planned;
    private final TransactionBlock block;
    private final Statement.CreateTableAs statement;
    private final String text;

    /// @param text what the statement is a part of
    TableFromQuery(
            PlannedStatements planned,
            TransactionBlock block,
            Statement.CreateTableAs statement,
            String text) {
        this.planned = planned;
        this.block = block;
        this.statement = statement;
        this.text = text;
    }

    Result run() {
        String name = statement.table().text();
        if (isTemporary()) {
            block.temporary().open();
        }
        String made = isTemporary() ? own(name) : name;
        if (statement.ifNotExists() && block.catalog().hasRelation(made)) {
            String bare = TemporaryNames.bare(name);
            String notice = "relation \"" + bare + "\" already exists, skipping";
            return ListResult.done(TAG, List.of(Notice.notice(notice)));
        }
        if (block.isBlock()) {
            return make();
        }
        return planned.inBlock(this::make);
    }

    /// What the catalog calls a temporary table of this name.
    private String own(String name) {
        return block.catalog().resolve(TemporaryNames.own(name));
    }

    private boolean isTemporary() {
        return statement.temporary() != null || TemporaryNames.isInOwn(statement.table().text());
    }

    /// A temporary table does not hide the permanent one that is filled.
    private Name target() {
        Name table = statement.table();
        String name = table.text();
        return new Name(
                isTemporary() ? own(name) : TemporaryNames.permanent(name), table.position());
    }

    private Result make() {
        Result made = planned.ddl().run(definition());
        if (!statement.withData()) {
            return ListResult.done(TAG, made.notices());
        }
        Statement insert =
                new Statement.Insert(
                        target(),
                        null,
                        List.of(),
                        null,
                        statement.query(),
                        null,
                        List.of(),
                        statement.position());
        String bare = TemporaryNames.bare(statement.table().text());
        CompiledStatement filling = // the query does not read the table itself
                block.temporary()
                        .plan(name -> isTemporary() && name.equals(bare), () -> compiled(insert));
        Result inserted = planned.change(filling, NO_PARAMETERS);
        return new ListResult(
                List.of(),
                List.of(),
                "SELECT " + inserted.rowCount(),
                inserted.rowCount(),
                made.notices());
    }

    private CompiledStatement compiled(Statement of) {
        return block.compiler().compile(text, of, List.of(), block.open());
    }

    private DdlStatement definition() {
        List<ResultColumn> columns =
                compiled(new Statement.Select(statement.query(), statement.position())).columns();
        List<Name> names = statement.columns();
        if (names.size() > columns.size()) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "too many column names were specified",
                    names.get(columns.size()).position());
        }
        Name table = statement.table();
        List<ColumnDefinition> definitions = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            ResultColumn column = columns.get(i);
            Name name = i < names.size() ? names.get(i) : new Name(column.name(), table.position());
            DdlStatement.CreateTable typed =
                    (DdlStatement.CreateTable)
                            SqlParser.parseOne(
                                    "CREATE TABLE t (c " + column.type().ofColumn() + ")");
            definitions.add(
                    new ColumnDefinition(
                            name,
                            typed.columns().getFirst().type(),
                            false,
                            null,
                            null,
                            null,
                            List.of(),
                            table.position()));
        }
        return new DdlStatement.CreateTable(
                table,
                statement.ifNotExists(),
                statement.temporary(),
                definitions,
                List.of(),
                List.of(),
                statement.options(),
                statement.position());
    }
}
