package org.namdb.sql.server;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.ast.Position;
import org.namdb.sql.language.error.ErrorObject;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.result.Notice;

/// Writes ErrorResponse and NoticeResponse.
final class ErrorMessages {
    /// The SQLSTATEs of notices and warnings that have none of their own.
    private static final String SUCCESS = "00000";

    private static final String WARNING = "01000";

    private ErrorMessages() {}

    /// @param text the statement's text, in which the error has its place; null if it has none
    static void error(MessageWriter out, SqlException error, @Nullable String text)
            throws IOException {
        write(out, "ERROR", error, text);
    }

    /// An error that ends the connection.
    static void fatal(MessageWriter out, SqlException error) throws IOException {
        write(out, "FATAL", error, null);
    }

    private static void write(
            MessageWriter out, String severity, SqlException error, @Nullable String text)
            throws IOException {
        out.begin('E');
        field(out, 'S', severity);
        field(out, 'V', severity);
        field(out, 'C', error.code());
        field(out, 'M', String.valueOf(error.getMessage()));
        field(out, 'D', error.detail());
        field(out, 'H', error.hint());
        field(out, 'W', error.context());
        ErrorObject object = error.object();
        if (object != null) {
            field(out, 's', "public");
            field(out, 't', object.table());
            field(out, 'c', object.column());
            field(out, 'n', object.constraint());
        }
        if (Portal.CHANGED_COLUMNS.equals(error.getMessage())) {
            field(out, 'R', "RevalidateCachedQuery");
        }
        Position position = error.position();
        if (position != null && text != null && !position.equals(Position.NONE)) {
            int before = text.codePointCount(0, Math.min(position.offset(), text.length()));
            field(out, 'P', Integer.toString(before + 1));
        }
        out.int8(0).end();
    }

    static void notice(MessageWriter out, Notice notice) throws IOException {
        String severity = notice.severity().name();
        out.begin('N');
        field(out, 'S', severity);
        field(out, 'V', severity);
        field(out, 'C', notice.severity() == Notice.Severity.WARNING ? WARNING : SUCCESS);
        field(out, 'M', notice.text());
        out.int8(0).end();
    }

    private static void field(MessageWriter out, char name, @Nullable String value) {
        if (value != null) {
            out.int8(name).string(value);
        }
    }
}
