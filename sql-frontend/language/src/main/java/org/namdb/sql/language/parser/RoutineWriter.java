package org.namdb.sql.language.parser;

import java.util.List;
import java.util.Locale;
import org.namdb.sql.language.ast.RoutineStatement;
import org.namdb.sql.language.ast.RoutineStatement.AlterRoutine;
import org.namdb.sql.language.ast.RoutineStatement.CreateRoutine;
import org.namdb.sql.language.ast.RoutineStatement.DropRoutine;
import org.namdb.sql.language.ast.RoutineStatement.Kind;
import org.namdb.sql.language.ast.RoutineStatement.Mode;
import org.namdb.sql.language.ast.RoutineStatement.Parameter;
import org.namdb.sql.language.ast.RoutineStatement.Signature;
import org.namdb.sql.language.ast.RoutineStatement.TypeReference;
import org.namdb.sql.language.ast.RoutineStatement.TypeReference.Form;

/// Writes statements about functions and procedures as SQL.
final class RoutineWriter {
    private final StringBuilder text;
    private final ExpressionWriter expressions;

    RoutineWriter(StringBuilder text, ExpressionWriter expressions) {
        this.text = text;
        this.expressions = expressions;
    }

    void write(RoutineStatement statement) {
        switch (statement) {
            case CreateRoutine create -> create(create);
            case DropRoutine drop -> {
                text.append("DROP ").append(drop.kind());
                text.append(drop.ifExists() ? " IF EXISTS " : " ");
                for (int i = 0; i < drop.routines().size(); i++) {
                    text.append(i == 0 ? "" : ", ");
                    signature(drop.routines().get(i));
                }
                text.append(drop.isCascade() ? " CASCADE" : "");
            }
            case AlterRoutine alter -> {
                text.append("ALTER ").append(alter.kind()).append(' ');
                signature(alter.routine());
                text.append(" OWNER TO ").append(Keywords.quoted(alter.owner().text()));
            }
        }
    }

    private void create(CreateRoutine create) {
        text.append(create.isReplace() ? "CREATE OR REPLACE " : "CREATE ");
        text.append(create.kind()).append(' ');
        text.append(Keywords.quoted(create.name().text())).append('(');
        parameters(create.parameters().stream().filter(p -> p.mode() != Mode.TABLE).toList());
        text.append(')');
        List<Parameter> columns =
                create.parameters().stream().filter(p -> p.mode() == Mode.TABLE).toList();
        TypeReference returns = create.returns();
        if (!columns.isEmpty()) {
            text.append(" RETURNS TABLE (");
            parameters(columns);
            text.append(')');
        } else if (returns != null) {
            text.append(create.isSet() ? " RETURNS SETOF " : " RETURNS ");
            type(returns);
        }
        text.append(" LANGUAGE ").append(create.language());
        if (create.kind() == Kind.FUNCTION) {
            text.append(' ').append(create.volatility().toUpperCase(Locale.ROOT));
            text.append(create.isStrict() ? " STRICT" : "");
        }
        text.append(" AS ").append(quoted(create.body()));
    }

    /// A body between dollar signs, with a tag that is not in it.
    static String quoted(String body) {
        String quote = "$$";
        for (int i = 1; body.contains(quote) || (body + "$").contains(quote); i++) {
            quote = "$body" + i + "$";
        }
        return quote + body + quote;
    }

    private void parameters(List<Parameter> parameters) {
        for (int i = 0; i < parameters.size(); i++) {
            Parameter each = parameters.get(i);
            text.append(i == 0 ? "" : ", ");
            text.append(
                    each.mode() == Mode.OUT || each.mode() == Mode.INOUT ? each.mode() + " " : "");
            text.append(each.name() == null ? "" : Keywords.quoted(each.name().text()) + " ");
            type(each.type());
            text.append(each.defaultText() == null ? "" : " DEFAULT " + each.defaultText());
        }
    }

    private void signature(Signature signature) {
        text.append(Keywords.quoted(signature.name().text()));
        List<TypeReference> types = signature.types();
        if (types != null) {
            text.append('(');
            for (int i = 0; i < types.size(); i++) {
                text.append(i == 0 ? "" : ", ");
                type(types.get(i));
            }
            text.append(')');
        }
    }

    private void type(TypeReference type) {
        if (type.form() == Form.PLAIN) {
            expressions.type(type.type());
        } else {
            text.append(type.type().name());
            text.append(type.form() == Form.TYPE_OF ? "%TYPE" : "%ROWTYPE");
        }
    }
}
