package org.namdb.sql.language.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.DdlStatement;
import org.namdb.sql.language.ast.DdlStatement.AlterTable;
import org.namdb.sql.language.ast.DdlStatement.Constraint;
import org.namdb.sql.language.ast.DdlStatement.ForeignKey;
import org.namdb.sql.language.ast.DdlStatement.LikeOption;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.ast.SequenceStatement;
import org.namdb.sql.language.ast.SequenceStatement.OfNumber;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.ast.ViewStatement;

/// Random statements of every kind.
final class RandomStatements {
    private static final Position NONE = Position.NONE;

    /// How deep expressions and queries may be.
    private static final int DEPTH = 4;

    private final RandomExpressions expressions;
    private final Random random;

    RandomStatements(Random random) {
        this.random = random;
        this.expressions = new RandomExpressions(random);
    }

    Statement statement() {
        return switch (random.nextInt(4)) {
            case 0 -> definition();
            case 1 -> session();
            default -> preparable();
        };
    }

    private boolean flip() {
        return expressions.flip();
    }

    private Name name() {
        return expressions.name();
    }

    private List<Name> names() {
        return expressions.list(1, expressions::name);
    }

    private Expression expression() {
        return expressions.expression(DEPTH);
    }

    private Statement preparable() {
        return switch (random.nextInt(5)) {
            case 0 -> insert();
            case 1 ->
                    new Statement.Update(
                            name(),
                            expressions.maybeName(),
                            sets(),
                            expressions.queries().sources(DEPTH),
                            expressions.maybe(DEPTH),
                            returning(),
                            NONE);
            case 2 ->
                    new Statement.Delete(
                            name(),
                            expressions.maybeName(),
                            expressions.queries().sources(DEPTH),
                            expressions.maybe(DEPTH),
                            returning(),
                            NONE);
            default -> new Statement.Select(expressions.queries().query(DEPTH), NONE);
        };
    }

    private List<Statement.Assignment> sets() {
        List<Statement.Assignment> sets =
                new ArrayList<>(
                        expressions.list(
                                1, () -> new Statement.Assignment(name(), valueOrDefault(), NONE)));
        if (random.nextInt(4) == 0) {
            Expression row = new Expression.ScalarQuery(expressions.queries().query(DEPTH), NONE);
            for (int i = 0; i <= random.nextInt(3); i++) {
                sets.add(new Statement.Assignment(name(), row, i, NONE));
            }
        }
        return sets;
    }

    private Expression valueOrDefault() {
        return random.nextInt(4) == 0 ? new Expression.Default(NONE) : expression();
    }

    private List<Query.Item> returning() {
        return expressions.list(0, () -> expressions.queries().item(DEPTH));
    }

    private Statement insert() {
        Query source = random.nextInt(4) == 0 ? null : expressions.queries().query(DEPTH);
        return new Statement.Insert(
                name(),
                expressions.maybeName(),
                expressions.list(0, expressions::name),
                flip() ? null : expressions.one(List.of(Statement.Overriding.values())),
                source,
                flip() ? null : onConflict(),
                returning(),
                NONE);
    }

    private Statement.OnConflict onConflict() {
        boolean isUpdate = flip();
        boolean hasColumns = flip();
        return new Statement.OnConflict(
                hasColumns ? names() : List.of(),
                !hasColumns && isUpdate ? name() : null,
                isUpdate ? sets() : List.of(),
                isUpdate ? expressions.maybe(DEPTH) : null,
                NONE);
    }

    private Statement session() {
        return switch (random.nextInt(18)) {
            case 0 ->
                    new Statement.Begin(
                            flip(),
                            flip()
                                    ? null
                                    : expressions.one(List.of("serializable", "read committed")),
                            flip() ? null : Boolean.valueOf(flip()),
                            NONE);
            case 1 -> new Statement.Commit(flip(), NONE);
            case 2 -> new Statement.Rollback(flip(), NONE);
            case 3 -> new Statement.Savepoint(name(), NONE);
            case 4 -> new Statement.RollbackTo(name(), NONE);
            case 5 -> new Statement.Release(name(), NONE);
            case 6 ->
                    new Statement.SetVariable(
                            name(), flip() ? null : expressions.string(), flip(), NONE);
            case 7 -> new Statement.Show(name(), NONE);
            case 8 ->
                    new Statement.Prepare(
                            name(), expressions.list(0, expressions::type), preparable(), NONE);
            case 9 -> execute();
            case 10 -> new Statement.Deallocate(expressions.maybeName(), NONE);
            case 11 -> copy();
            case 12 -> new Statement.Call(name(), expressions.list(0, this::expression), NONE);
            case 13 -> analyze();
            case 14 ->
                    new Statement.DeclareCursor(
                            name(), flip(), flip(), expressions.queries().query(DEPTH), NONE);
            case 15 ->
                    new Statement.FetchCursor(
                            name(),
                            expressions.one(List.of(Statement.FetchDirection.values())),
                            random.nextInt(-9, 9),
                            flip(),
                            NONE);
            case 16 -> new Statement.CloseCursor(expressions.maybeName(), NONE);
            default ->
                    new Statement.Explain(flip(), flip(), flip() ? execute() : preparable(), NONE);
        };
    }

    private Statement execute() {
        return new Statement.Execute(name(), expressions.list(0, this::expression), NONE);
    }

    private Statement analyze() {
        boolean isVacuum = flip();
        boolean isAnalyze = !isVacuum || flip();
        return new Statement.Analyze(
                isVacuum,
                isAnalyze,
                flip(),
                expressions.list(
                        0,
                        () ->
                                new Statement.AnalyzedTable(
                                        name(),
                                        isAnalyze
                                                ? expressions.list(0, expressions::name)
                                                : List.of())),
                NONE);
    }

    private Statement copy() {
        boolean ofQuery = flip();
        return new Statement.Copy(
                ofQuery ? null : name(),
                ofQuery ? List.of() : expressions.list(0, expressions::name),
                ofQuery ? expressions.queries().query(DEPTH) : null,
                !ofQuery && flip(),
                flip() ? null : expressions.string(),
                flip() ? Map.of() : Map.of("format", "csv", "delimiter", ";", "header", "false"),
                NONE);
    }

    private DdlStatement definition() {
        return switch (random.nextInt(8)) {
            case 0 ->
                    new DdlStatement.CreateTable(
                            name(),
                            flip(),
                            flip() ? null : DdlStatement.OnCommit.values()[random.nextInt(3)],
                            expressions.list(0, this::column),
                            expressions.list(0, () -> constraint(null)),
                            flip() ? List.of() : List.of(like(), like()),
                            flip()
                                    ? Map.of()
                                    : Map.of("versions", option("2"), "Odd one", option("x'y")),
                            NONE);
            case 1 -> new DdlStatement.DropTable(names(), flip(), flip(), NONE);
            case 2 -> createIndex();
            case 3 ->
                    flip()
                            ? new DdlStatement.DropIndex(names(), flip(), NONE)
                            : new DdlStatement.AlterIndex(name(), flip(), name(), NONE);
            case 4 -> new DdlStatement.Truncate(names(), flip(), flip(), NONE);
            case 5 -> sequence();
            case 6 -> view();
            default -> alterTable();
        };
    }

    private DdlStatement.TableLike like() {
        return new DdlStatement.TableLike(
                name(),
                0,
                flip() ? Set.of() : Set.of(LikeOption.INDEXES, LikeOption.COMMENTS),
                NONE);
    }

    private AlterTable.Change addConstraint() {
        DdlStatement.Constraint constraint = constraint(null);
        boolean isChecked =
                constraint instanceof DdlStatement.Check
                        || constraint instanceof DdlStatement.ForeignKey;
        return new AlterTable.AddConstraint(constraint, isChecked && flip(), NONE);
    }

    private static DdlStatement.TableOption option(String value) {
        return new DdlStatement.TableOption(value, NONE);
    }

    private DdlStatement createIndex() {
        Name name = expressions.maybeName();
        return new DdlStatement.CreateIndex(
                name,
                name(),
                names(),
                flip(),
                name != null && flip(),
                expressions.maybeName(),
                flip() ? Map.of() : Map.of("node_bytes", option("2048"), "cache", option("0")),
                NONE);
    }

    private DdlStatement.ColumnDefinition column() {
        Name name = name();
        boolean isIdentity = random.nextInt(4) == 0;
        boolean isGenerated = !isIdentity && random.nextInt(4) == 0;
        return new DdlStatement.ColumnDefinition(
                name,
                expressions.type(),
                flip(),
                isIdentity || isGenerated ? null : expressions.maybe(2),
                isIdentity ? identity() : null,
                isGenerated ? expressions.expression(2) : null,
                expressions.list(0, () -> constraint(name)),
                NONE);
    }

    private DdlStatement.Identity identity() {
        return new DdlStatement.Identity(flip(), options(), NONE);
    }

    private DdlStatement view() {
        return switch (random.nextInt(3)) {
            case 0 -> {
                Query query = expressions.queries().query(DEPTH);
                String text = SqlWriter.write(new Statement.Select(query, NONE));
                yield new ViewStatement.CreateView(
                        name(), flip(), expressions.list(0, expressions::name), query, text, NONE);
            }
            case 1 -> {
                boolean isRenamed = flip();
                yield new ViewStatement.AlterView(
                        name(), flip(), isRenamed ? name() : null, isRenamed ? null : name(), NONE);
            }
            default -> new ViewStatement.DropView(names(), flip(), flip(), NONE);
        };
    }

    private DdlStatement sequence() {
        return switch (random.nextInt(4)) {
            case 0 -> new SequenceStatement.CreateSequence(name(), flip(), options(), NONE);
            case 1 -> new SequenceStatement.DropSequence(names(), flip(), flip(), NONE);
            case 2 -> {
                boolean isRenamed = flip();
                yield new SequenceStatement.AlterSequence(
                        name(),
                        flip(),
                        List.of(),
                        isRenamed ? name() : null,
                        isRenamed ? null : name(),
                        NONE);
            }
            default -> {
                List<SequenceStatement.Option> options = new ArrayList<>(options());
                options.add(new SequenceStatement.Cycle(flip(), NONE));
                yield new SequenceStatement.AlterSequence(
                        name(), flip(), options, null, null, NONE);
            }
        };
    }

    /// Each kind at most once.
    private List<SequenceStatement.Option> options() {
        List<SequenceStatement.Option> options = new ArrayList<>();
        for (OfNumber.Kind kind : OfNumber.Kind.values()) {
            boolean mayBeWithout =
                    kind == OfNumber.Kind.MINVALUE
                            || kind == OfNumber.Kind.MAXVALUE
                            || kind == OfNumber.Kind.RESTART;
            if (random.nextInt(4) == 0) {
                Long value = mayBeWithout && flip() ? null : Long.valueOf(random.nextLong());
                options.add(new OfNumber(kind, value, NONE));
            }
        }
        if (random.nextInt(4) == 0) {
            options.add(new SequenceStatement.OfType(expressions.type(), NONE));
        }
        if (random.nextInt(4) == 0) {
            boolean isNone = flip();
            options.add(
                    new SequenceStatement.OwnedBy(
                            isNone ? null : name(), isNone ? null : name(), NONE));
        }
        return options;
    }

    /// @param column the column that it stands behind; null for one of the table
    private Constraint constraint(@Nullable Name column) {
        Name name = expressions.maybeName();
        List<Name> columns = column == null ? names() : List.of(column);
        return switch (random.nextInt(4)) {
            case 0 -> new DdlStatement.PrimaryKey(name, columns, NONE);
            case 1 -> new DdlStatement.Unique(name, columns, NONE);
            case 2 -> {
                Expression condition = expressions.expression(2);
                yield new DdlStatement.Check(name, condition, SqlWriter.write(condition), NONE);
            }
            default ->
                    new ForeignKey(
                            name,
                            columns,
                            name(),
                            expressions.list(0, expressions::name),
                            expressions.one(List.of(ForeignKey.Action.values())),
                            expressions.one(List.of(ForeignKey.Action.values())),
                            NONE);
        };
    }

    private DdlStatement alterTable() {
        List<AlterTable.Change> changes =
                random.nextInt(4) == 0 ? List.of(rename()) : expressions.list(1, this::change);
        return new AlterTable(name(), flip(), changes, NONE);
    }

    private AlterTable.Change rename() {
        return switch (random.nextInt(3)) {
            case 0 -> new AlterTable.RenameTable(name(), NONE);
            case 1 -> new AlterTable.RenameConstraint(name(), name(), NONE);
            default -> new AlterTable.RenameColumn(name(), name(), NONE);
        };
    }

    private AlterTable.Change change() {
        return switch (random.nextInt(10)) {
            case 8 -> new AlterTable.ValidateConstraint(name(), NONE);
            case 0 -> new AlterTable.AddColumn(column(), flip(), NONE);
            case 1 -> new AlterTable.DropColumn(name(), flip(), flip(), NONE);
            case 2 -> addConstraint();
            case 3 -> new AlterTable.DropConstraint(name(), flip(), flip(), NONE);
            case 4 -> new AlterTable.SetDefault(name(), expressions.maybe(2), NONE);
            case 5 -> new AlterTable.AddIdentity(name(), identity(), NONE);
            case 6 ->
                    new AlterTable.ChangeIdentity(name(), Boolean.valueOf(flip()), options(), NONE);
            case 7 -> new AlterTable.DropIdentity(name(), flip(), NONE);
            default -> new AlterTable.SetNotNull(name(), flip(), NONE);
        };
    }
}
