package org.namdb.sql.language.parser;

import java.util.List;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.Token;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.Statement;

/// Makes statements about transactions and settings out of their parses.
final class SessionBuilder {
    /// The modes of a transaction.
    ///
    /// @param isolation null if none was named
    /// @param isReadOnly null if nothing was said
    private record Modes(@Nullable String isolation, @Nullable Boolean isReadOnly) {}

    Statement statement(ParserRuleContext tree) {
        Position position = NameBuilder.position(tree);
        return switch (tree) {
            case SqlGrammar.BeginContext b ->
                    begin(
                            true,
                            b.START() == null ? "BEGIN" : "START TRANSACTION",
                            b.transactionModes(),
                            position);
            case SqlGrammar.SetTransactionContext s ->
                    begin(false, "SET", s.transactionModes(), position);
            case SqlGrammar.CommitContext c -> new Statement.Commit(isChained(c.chain()), position);
            case SqlGrammar.RollbackContext r ->
                    r.name() == null
                            ? new Statement.Rollback(isChained(r.chain()), position)
                            : new Statement.RollbackTo(NameBuilder.name(r.name()), position);
            case SqlGrammar.SavepointContext s ->
                    new Statement.Savepoint(NameBuilder.name(s.name()), position);
            case SqlGrammar.ReleaseContext r ->
                    new Statement.Release(NameBuilder.name(r.name()), position);
            case SqlGrammar.SetCharacteristicsContext s -> characteristics(s, position);
            case SqlGrammar.SetVariableContext s -> setVariable(s, position);
            case SqlGrammar.SetConstraintsContext s -> setConstraints(s, position);
            case SqlGrammar.ResetVariableContext r ->
                    new Statement.SetVariable(
                            r.AUTHORIZATION() == null
                                    ? setting(r.settingName(), r.TIME() != null, r)
                                    : new Name("session_authorization", NameBuilder.position(r)),
                            null,
                            false,
                            position);
            case SqlGrammar.ShowContext s ->
                    new Statement.Show(setting(s.settingName(), s.TIME() != null, s), position);
            case SqlGrammar.DiscardContext d -> discard(d, position);
            case SqlGrammar.DeallocateContext d ->
                    new Statement.Deallocate(
                            d.name() == null ? null : NameBuilder.name(d.name()), position);
            case SqlGrammar.FetchCursorContext f -> CursorBuilder.fetch(f);
            case SqlGrammar.CloseCursorContext c ->
                    new Statement.CloseCursor(
                            c.name() == null ? null : NameBuilder.name(c.name()), position);
            case SqlGrammar.UnlistenContext _ -> new Statement.Unlisten(position);
            default -> throw new IllegalStateException("no statement: " + tree.getClass());
        };
    }

    private static Statement setConstraints(
            SqlGrammar.SetConstraintsContext tree, Position position) {
        if (!Keywords.folded(tree.name(0).getText()).equals("constraints")) {
            throw SyntaxErrors.at(tree.name(0).getStart());
        }
        requireDeferral(tree.name(1));
        return new Statement.SetConstraints(position);
    }

    /// Foreign keys are checked at the end of each statement, whatever is said.
    static void requireDeferral(SqlGrammar.@Nullable NameContext word) {
        String text = word == null ? "immediate" : Keywords.folded(word.getText());
        if (word != null && !text.equals("deferred") && !text.equals("immediate")) {
            throw SyntaxErrors.at(word.getStart());
        }
    }

    private static Statement discard(SqlGrammar.DiscardContext tree, Position position) {
        String what = Keywords.folded(tree.getStop().getText());
        return switch (what) {
            case "all", "plans", "sequences", "temp", "temporary" ->
                    new Statement.Discard(what, position);
            default -> throw SyntaxErrors.at(tree.getStop());
        };
    }

    /// AND NO CHAIN is the default anyway.
    private static boolean isChained(SqlGrammar.@Nullable ChainContext tree) {
        if (tree == null) {
            return false;
        }
        if (!Keywords.folded(tree.getStop().getText()).equals("chain")) {
            throw SyntaxErrors.at(tree.getStop());
        }
        return tree.NO() == null;
    }

    private static Statement begin(
            boolean isStart,
            String tag,
            SqlGrammar.@Nullable TransactionModesContext tree,
            Position position) {
        Modes modes = modes(tree);
        return new Statement.Begin(isStart, tag, modes.isolation, modes.isReadOnly, position);
    }

    private static Modes modes(SqlGrammar.@Nullable TransactionModesContext tree) {
        Modes modes = new Modes(null, null);
        if (tree == null) {
            return modes;
        }
        for (SqlGrammar.TransactionModeContext mode : tree.transactionMode()) {
            modes =
                    switch (mode) {
                        case SqlGrammar.IsolationContext i ->
                                new Modes(isolation(i.isolationLevel()), modes.isReadOnly);
                        case SqlGrammar.ReadOnlyContext r -> new Modes(modes.isolation, true);
                        case SqlGrammar.ReadWriteContext r -> new Modes(modes.isolation, false);
                        // A snapshot needs no waiting for a safe one.
                        default -> modes;
                    };
        }
        return modes;
    }

    private static String isolation(SqlGrammar.IsolationLevelContext tree) {
        String first = Keywords.folded(tree.getStart().getText());
        // READ COMMITTED and its like are two words.
        return tree.getChildCount() == 1
                ? first
                : first + " " + Keywords.folded(tree.getStop().getText());
    }

    private static Statement characteristics(
            SqlGrammar.SetCharacteristicsContext tree, Position position) {
        Modes modes = modes(tree.transactionModes());
        if (modes.isolation != null && modes.isReadOnly != null) {
            throw Unsupported.error(
                    "several characteristics in one statement are not supported",
                    NameBuilder.position(tree.transactionModes()));
        }
        return modes.isReadOnly == null
                ? set("default_transaction_isolation", modes.isolation, position)
                : set("default_transaction_read_only", modes.isReadOnly ? "on" : "off", position);
    }

    private static Statement set(String name, @Nullable String value, Position position) {
        return new Statement.SetVariable(new Name(name, position), value, false, position);
    }

    private static Statement setVariable(SqlGrammar.SetVariableContext tree, Position position) {
        Position at = NameBuilder.position(tree.variableValue());
        boolean isLocal = tree.LOCAL() != null;
        return switch (tree.variableValue()) {
            case SqlGrammar.SetTimeZoneContext t ->
                    new Statement.SetVariable(
                            new Name("timezone", at),
                            t.settingValue().getStart().getType() == SqlGrammar.LOCAL
                                    ? null
                                    : value(List.of(t.settingValue())),
                            isLocal,
                            false,
                            position);
            case SqlGrammar.SetNamesContext n ->
                    new Statement.SetVariable(
                            new Name("client_encoding", at),
                            value(List.of(n.settingValue())),
                            isLocal,
                            position);
            case SqlGrammar.SetRoleContext r ->
                    new Statement.SetVariable(
                            new Name("role", at),
                            value(List.of(r.settingValue())),
                            isLocal,
                            false,
                            position);
            case SqlGrammar.SetAuthorizationContext a -> {
                if (tree.SESSION() == null) {
                    throw SyntaxErrors.at(a.getStart());
                }
                yield new Statement.SetVariable(
                        new Name("session_authorization", at),
                        value(List.of(a.settingValue())),
                        false,
                        false,
                        position);
            }
            case SqlGrammar.SetSettingContext s ->
                    new Statement.SetVariable(
                            name(s.settingName()),
                            value(s.settingValue()),
                            isLocal,
                            false,
                            position);
            default -> throw new IllegalStateException("no setting: " + tree.getClass());
        };
    }

    private static Name name(SqlGrammar.SettingNameContext tree) {
        return new Name(NameBuilder.dotted(tree.name()), NameBuilder.position(tree));
    }

    private static @Nullable String value(List<SqlGrammar.SettingValueContext> trees) {
        if (trees.size() == 1 && trees.getFirst().getStart().getType() == SqlGrammar.DEFAULT) {
            return null;
        }
        return String.join(", ", trees.stream().map(NameBuilder::value).toList());
    }

    /// The setting of SHOW and RESET.
    private static Name setting(
            SqlGrammar.@Nullable SettingNameContext name, boolean isZone, ParserRuleContext tree) {
        if (name != null) {
            return name(name);
        }
        Token last = tree.getStop();
        String word =
                isZone
                        ? "timezone"
                        : last.getType() == SqlGrammar.ALL ? "all" : "transaction_isolation";
        return new Name(word, NameBuilder.position(last));
    }
}
