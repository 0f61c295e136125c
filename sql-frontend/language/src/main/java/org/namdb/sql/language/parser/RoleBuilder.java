package org.namdb.sql.language.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.antlr.v4.runtime.ParserRuleContext;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Name;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.ast.RoleStatement;
import org.namdb.sql.language.ast.RoleStatement.ObjectKind;

/// Makes statements about roles and privileges out of their parses.
final class RoleBuilder {
    /// Those without a value.
    private static final Set<String> FLAGS =
            Set.of(
                    "superuser",
                    "nosuperuser",
                    "createrole",
                    "nocreaterole",
                    "createdb",
                    "nocreatedb",
                    "login",
                    "nologin",
                    "inherit",
                    "noreplication",
                    "nobypassrls");

    /// Options of two words, and their names.
    private static final Map<String, String> PAIRS =
            Map.of("valid until", "valid until", "encrypted password", "password");

    private static final Set<String> UNSUPPORTED =
            Set.of("noinherit", "replication", "bypassrls", "sysid", "role", "admin");

    private RoleBuilder() {}

    /// The statement that a parse is; null if it is none.
    static @Nullable RoleStatement statement(ParserRuleContext tree) {
        Position position = NameBuilder.position(tree);
        return switch (tree) {
            case SqlGrammar.CreateRoleContext c ->
                    new RoleStatement.CreateRole(
                            NameBuilder.name(c.name()),
                            c.USER() != null,
                            options(c.roleOption()),
                            position);
            case SqlGrammar.AlterRoleContext a ->
                    new RoleStatement.AlterRole(
                            role(a.roleName()), options(a.roleOption()), position);
            case SqlGrammar.DropRoleContext d ->
                    new RoleStatement.DropRole(
                            d.name().stream().map(NameBuilder::name).toList(),
                            d.ifExists() != null,
                            position);
            case SqlGrammar.GrantContext g -> {
                if (g.grantOption() != null) {
                    throw Unsupported.error(
                            "WITH GRANT OPTION and WITH ADMIN OPTION are not supported",
                            NameBuilder.position(g.grantOption()));
                }
                yield granted(false, g.granted(), g.grantTarget(), roles(g.roleName()), position);
            }
            case SqlGrammar.RevokeContext r -> {
                if (r.GRANT() != null) {
                    throw Unsupported.error("GRANT OPTION FOR is not supported", position);
                }
                yield granted(true, r.granted(), r.grantTarget(), roles(r.roleName()), position);
            }
            default -> null;
        };
    }

    /// The role that a name or a keyword means.
    static Name role(SqlGrammar.RoleNameContext tree) {
        return tree.name() == null
                ? new Name(Keywords.folded(tree.getStart().getText()), NameBuilder.position(tree))
                : NameBuilder.name(tree.name());
    }

    private static List<Name> roles(List<SqlGrammar.RoleNameContext> trees) {
        return trees.stream().map(RoleBuilder::role).toList();
    }

    private static List<RoleStatement.Option> options(List<SqlGrammar.RoleOptionContext> trees) {
        List<RoleStatement.Option> options = new ArrayList<>();
        for (int i = 0; i < trees.size(); i++) {
            String name = word(trees.get(i));
            String next = i + 1 < trees.size() ? word(trees.get(i + 1)) : "";
            String pair = PAIRS.get(name + " " + next);
            if (pair != null && trees.get(i).getChildCount() == 1) {
                name = pair;
                i++;
            }
            options.add(option(name, trees.get(i)));
        }
        return options;
    }

    private static RoleStatement.Option option(String name, SqlGrammar.RoleOptionContext tree) {
        Position position = NameBuilder.position(tree);
        if (UNSUPPORTED.contains(name) || tree.LIMIT() != null) {
            throw Unsupported.error(
                    "the option \"%s\" of a role is not supported"
                            .formatted(tree.LIMIT() == null ? name : "connection limit"),
                    position);
        }
        boolean isString = tree.STRING() != null;
        boolean isRight =
                switch (name) {
                    case "password" -> isString || tree.NULL() != null;
                    case "valid until" -> isString;
                    default -> FLAGS.contains(name) && tree.getChildCount() == 1;
                };
        if (!isRight) {
            throw SyntaxErrors.at(tree.getStart());
        }
        String value = isString ? StringLiterals.value((SqlToken) tree.STRING().getSymbol()) : null;
        return new RoleStatement.Option(name, value, position);
    }

    private static String word(SqlGrammar.RoleOptionContext tree) {
        return Keywords.folded(tree.getStart().getText());
    }

    private static RoleStatement granted(
            boolean isRevoke,
            List<SqlGrammar.GrantedContext> trees,
            SqlGrammar.@Nullable GrantTargetContext target,
            List<Name> roles,
            Position position) {
        List<Name> names = new ArrayList<>();
        for (SqlGrammar.GrantedContext tree : trees) {
            if (tree.nameList() != null) {
                throw Unsupported.error(
                        "privileges on columns are not supported",
                        NameBuilder.position(tree.nameList()));
            }
            if (tree.ALL() == null) {
                names.add(NameBuilder.name(tree));
            } else {
                requireAllAlone(tree, trees, target != null);
            }
        }
        if (target == null) {
            return new RoleStatement.GrantRole(isRevoke, names, roles, position);
        }
        return new RoleStatement.Grant(
                isRevoke, names, kind(target), objects(target), roles, position);
    }

    /// ALL [PRIVILEGES] stands for all that there are.
    private static void requireAllAlone(
            SqlGrammar.GrantedContext tree,
            List<SqlGrammar.GrantedContext> all,
            boolean hasTarget) {
        boolean isWord =
                tree.name() == null || Keywords.folded(tree.name().getText()).equals("privileges");
        if (!isWord || !hasTarget || all.size() > 1) {
            throw SyntaxErrors.at(isWord ? tree.getStart() : tree.name().getStart());
        }
    }

    private static ObjectKind kind(SqlGrammar.GrantTargetContext target) {
        return switch (target) {
            case SqlGrammar.GrantOnTablesContext _ -> ObjectKind.TABLE;
            case SqlGrammar.GrantOnAllContext a -> {
                String what = Keywords.folded(a.name(0).getText());
                if (!what.equals("tables") && !what.equals("sequences")) {
                    throw unsupported("all " + what, a.name(0));
                }
                if (!Keywords.folded(a.name(1).getText()).equals("schema")) {
                    throw SyntaxErrors.at(a.name(1).getStart());
                }
                yield what.equals("tables") ? ObjectKind.ALL_TABLES : ObjectKind.ALL_SEQUENCES;
            }
            case SqlGrammar.GrantOnObjectsContext o ->
                    switch (Keywords.folded(o.name().getText())) {
                        case "procedure", "function", "routine" -> ObjectKind.PROCEDURE;
                        case "sequence" -> ObjectKind.SEQUENCE;
                        case "schema" -> ObjectKind.SCHEMA;
                        case "language" -> ObjectKind.LANGUAGE;
                        case "database",
                                "domain",
                                "foreign",
                                "large",
                                "parameter",
                                "tablespace",
                                "type" ->
                                throw unsupported(Keywords.folded(o.name().getText()), o.name());
                        default -> throw SyntaxErrors.at(o.grantObject(0).getStart());
                    };
            default -> throw new IllegalStateException("no target: " + target.getClass());
        };
    }

    private static RuntimeException unsupported(String object, ParserRuleContext tree) {
        return Unsupported.error(
                "privileges on a %s are not supported".formatted(object),
                NameBuilder.position(tree));
    }

    private static List<Name> objects(SqlGrammar.GrantTargetContext target) {
        return switch (target) {
            case SqlGrammar.GrantOnTablesContext t -> NameBuilder.tableNames(t.tableName());
            case SqlGrammar.GrantOnAllContext a ->
                    a.name().subList(2, a.name().size()).stream().map(NameBuilder::name).toList();
            case SqlGrammar.GrantOnObjectsContext o ->
                    o.grantObject().stream().map(NameBuilder::object).toList();
            default -> throw new IllegalStateException("no target: " + target.getClass());
        };
    }
}
