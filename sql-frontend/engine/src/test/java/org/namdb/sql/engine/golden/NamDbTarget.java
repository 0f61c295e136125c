package org.namdb.sql.engine.golden;

import java.io.StringReader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.result.ResultColumn;

/// A session with an embedded database of its own.
public final class NamDbTarget implements GoldenTarget {
    private static final long MEMORY_BYTES = 1L << 30;
    private static final Pattern COPY_OUT =
            Pattern.compile("(?is)\\s*COPY\\b.*\\bTO\\s+STDOUT\\b.*");

    private final SqlDatabase database;
    private final SqlSession session;

    /// Whether errors come with their hints.
    private final boolean showsHints;

    private NamDbTarget(SqlDatabase database, boolean showsHints) {
        this.database = database;
        this.showsHints = showsHints;
        this.session = database.session();
    }

    /// A database without tables.
    public static NamDbTarget fresh() {
        return new NamDbTarget(empty(1), false);
    }

    /// A database without tables on so many memory servers, whose errors are followed by a line
    /// with their hint.
    public static NamDbTarget freshWithHints(int memoryServers) {
        return new NamDbTarget(empty(memoryServers), true);
    }

    private static SqlDatabase empty(int memoryServers) {
        return SqlDatabase.embedded(
                EmbeddedOptions.DEFAULT
                        .withMemoryServers(memoryServers)
                        .withMemoryBytes(MEMORY_BYTES));
    }

    @Override
    public String run(String statement, @Nullable String copyData) {
        try {
            if (copyData != null) {
                return "COPY " + session.copyIn(statement, new StringReader(copyData));
            }
            if (COPY_OUT.matcher(statement).matches()) {
                StringWriter out = new StringWriter();
                long rows = session.copyOut(statement, out);
                return Answer.copied(out.toString(), rows);
            }
            try (Result result = session.execute(statement)) {
                return answer(result);
            }
        } catch (SqlException e) {
            String error = Answer.error(e.code(), e.getMessage());
            return showsHints && e.hint() != null ? error + "\nHINT: " + e.hint() : error;
        }
    }

    private static String answer(Result result) {
        if (!result.hasRows()) {
            return result.tag();
        }
        List<List<@Nullable String>> rows = new ArrayList<>();
        while (result.next()) {
            List<@Nullable String> row = new ArrayList<>();
            for (int i = 0; i < result.columns().size(); i++) {
                row.add(result.text(i));
            }
            rows.add(row);
        }
        return Answer.rows(result.columns().stream().map(ResultColumn::name).toList(), rows);
    }

    @Override
    public void close() {
        session.close();
        database.close();
    }
}
