package org.namdb.sql.language.parser;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.antlr.v4.runtime.ParserRuleContext;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.DdlStatement;
import org.namdb.sql.language.ast.DdlStatement.AlterTable;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.SequenceStatement;
import org.namdb.sql.language.ast.SequenceStatement.OfNumber;
import org.namdb.sql.language.ast.SequenceStatement.OfNumber.Kind;
import org.namdb.sql.language.ast.SequenceStatement.Option;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Makes statements about sequences, and identities of columns, out of their parses.
final class SequenceBuilder {
    private SequenceBuilder() {}

    /// The statement that a parse is; null if it is none.
    static @Nullable SequenceStatement statement(ParserRuleContext tree) {
        Position position = NameBuilder.position(tree);
        return switch (tree) {
            case SqlGrammar.CreateSequenceContext c ->
                    new SequenceStatement.CreateSequence(
                            NameBuilder.tableName(c.tableName()),
                            c.ifNotExists() != null,
                            options(c.sequenceOption()),
                            position);
            case SqlGrammar.AlterSequenceContext a ->
                    new SequenceStatement.AlterSequence(
                            NameBuilder.tableName(a.tableName()),
                            a.ifExists() != null,
                            options(a.sequenceOption()),
                            a.name() == null ? null : NameBuilder.name(a.name()),
                            a.roleName() == null ? null : RoleBuilder.role(a.roleName()),
                            position);
            case SqlGrammar.DropSequenceContext d ->
                    new SequenceStatement.DropSequence(
                            NameBuilder.tableNames(d.tableName()),
                            d.ifExists() != null,
                            DdlBuilder.isCascade(d.dropBehaviour()),
                            position);
            default -> null;
        };
    }

    static DdlStatement.Identity identity(
            SqlGrammar.GenerationContext generation,
            List<SqlGrammar.SequenceOptionContext> options,
            Position position) {
        return new DdlStatement.Identity(isAlways(generation), options(options), position);
    }

    private static boolean isAlways(SqlGrammar.GenerationContext tree) {
        return tree.ALWAYS() != null;
    }

    static AlterTable.Change change(SqlGrammar.ChangeIdentityContext tree) {
        Boolean isAlways = null;
        List<Option> options = new ArrayList<>();
        for (SqlGrammar.IdentityChangeContext change : tree.identityChange()) {
            if (change.generation() != null) {
                if (isAlways != null) {
                    throw redundant(NameBuilder.position(change));
                }
                isAlways = isAlways(change.generation());
            } else if (change.sequenceOption() != null) {
                options.add(option(change.sequenceOption()));
            } else {
                options.add(
                        number(Kind.RESTART, change.signedInteger(), NameBuilder.position(change)));
            }
        }
        requireOnce(options);
        return new AlterTable.ChangeIdentity(
                NameBuilder.name(tree.name()), isAlways, options, NameBuilder.position(tree));
    }

    private static List<Option> options(List<SqlGrammar.SequenceOptionContext> trees) {
        List<Option> options = trees.stream().map(SequenceBuilder::option).toList();
        requireOnce(options);
        return options;
    }

    private static void requireOnce(List<Option> options) {
        Set<Object> seen = new HashSet<>();
        for (Option option : options) {
            Object kind = option instanceof OfNumber number ? number.kind() : option.getClass();
            if (!seen.add(kind)) {
                throw redundant(option.position());
            }
        }
    }

    private static SqlException redundant(Position position) {
        return new SqlException(
                SqlState.SYNTAX_ERROR, "conflicting or redundant options", position);
    }

    private static Option option(SqlGrammar.SequenceOptionContext tree) {
        Position position = NameBuilder.position(tree);
        return switch (tree) {
            case SqlGrammar.SequenceTypeContext t ->
                    new SequenceStatement.OfType(NameBuilder.type(t.typeName()), position);
            case SqlGrammar.SequenceIncrementContext i ->
                    number(Kind.INCREMENT, i.signedInteger(), position);
            case SqlGrammar.SequenceBoundContext b ->
                    number(
                            b.MINVALUE() == null ? Kind.MAXVALUE : Kind.MINVALUE,
                            b.signedInteger(),
                            position);
            case SqlGrammar.SequenceWithoutContext w ->
                    w.CYCLE() != null
                            ? new SequenceStatement.Cycle(false, position)
                            : number(
                                    w.MINVALUE() == null ? Kind.MAXVALUE : Kind.MINVALUE,
                                    null,
                                    position);
            case SqlGrammar.SequenceStartContext s ->
                    number(Kind.START, s.signedInteger(), position);
            case SqlGrammar.SequenceRestartContext r ->
                    number(Kind.RESTART, r.signedInteger(), position);
            case SqlGrammar.SequenceCacheContext c ->
                    number(Kind.CACHE, c.signedInteger(), position);
            case SqlGrammar.SequenceCycleContext _ -> new SequenceStatement.Cycle(true, position);
            case SqlGrammar.SequenceOwnerContext o -> ownedBy(o, position);
            case SqlGrammar.SequenceNameContext n -> {
                if (!Keywords.folded(n.IDENTIFIER().getText()).equals("name")) {
                    throw SyntaxErrors.at(n.IDENTIFIER().getSymbol());
                }
                yield new SequenceStatement.Named(NameBuilder.tableName(n.tableName()), position);
            }
            default -> throw new IllegalStateException("no option: " + tree.getClass());
        };
    }

    private static Option number(
            Kind kind, SqlGrammar.@Nullable SignedIntegerContext tree, Position position) {
        if (tree == null) {
            return new OfNumber(kind, null, position);
        }
        try {
            return new OfNumber(kind, Long.valueOf(tree.getText()), position);
        } catch (NumberFormatException e) {
            throw new SqlException(
                    SqlState.NUMERIC_OUT_OF_RANGE,
                    "value \"" + tree.getText() + "\" is out of range for type bigint",
                    NameBuilder.position(tree));
        }
    }

    private static Option ownedBy(SqlGrammar.SequenceOwnerContext tree, Position position) {
        List<SqlGrammar.NameContext> names = tree.tableName().name();
        int last = names.size() - 1;
        if (last == 0) {
            if (!names.getFirst().getText().equalsIgnoreCase("none")) {
                throw new SqlException(SqlState.SYNTAX_ERROR, "invalid OWNED BY option", position)
                        .withHint("Specify OWNED BY table.column or OWNED BY NONE.");
            }
            return new SequenceStatement.OwnedBy(null, null, position);
        }
        Name table = NameBuilder.qualified(names.subList(0, last));
        return new SequenceStatement.OwnedBy(table, NameBuilder.name(names.get(last)), position);
    }
}
