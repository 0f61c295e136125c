package org.namdb.sql.language.ast;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A statement that makes, changes or drops views.
public sealed interface ViewStatement extends DdlStatement {
    /// `CREATE [OR REPLACE] VIEW name [(columns)] AS query`.
    ///
    /// @param columns names of the first columns; the others are called as the query calls them
    /// @param text the query as written
    record CreateView(
            Name view,
            boolean isReplace,
            List<Name> columns,
            Query query,
            String text,
            Position position)
            implements ViewStatement {
        public CreateView {
            columns = List.copyOf(columns);
        }
    }

    /// `ALTER VIEW [IF EXISTS] name RENAME TO name | OWNER TO role`.
    ///
    /// @param newName null for the other form
    /// @param owner null for the other form
    record AlterView(
            Name view,
            boolean ifExists,
            @Nullable Name newName,
            @Nullable Name owner,
            Position position)
            implements ViewStatement {}

    /// `DROP VIEW [IF EXISTS] names [CASCADE | RESTRICT]`.
    record DropView(List<Name> views, boolean ifExists, boolean isCascade, Position position)
            implements ViewStatement {
        public DropView {
            views = List.copyOf(views);
        }
    }
}
