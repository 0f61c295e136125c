package org.namdb.sql.golden;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;
import org.namdb.sql.shell.OpenText;
import org.namdb.sql.shell.StatementBuffer;
import org.namdb.sql.shell.StatementBuffer.Piece;
import org.namdb.sql.shell.StatementBuffer.StatementPiece;

/// Cuts a golden file into its statements, as the shell does, with the data after `COPY ... FROM STDIN;`, which ends with a line `\.`. Comments between
/// statements are left out.
final class StatementSplitter {
    private static final Pattern COPY_IN =
            Pattern.compile("(?is)COPY\\b.*\\bFROM\\s+STDIN\\b(?:[^']|'[^']*')*");
    private static final Pattern COMMENTS = Pattern.compile("(?s)\\A(/\\*.*?\\*/\\s*)+");
    private static final String END_OF_DATA = "\\.";

    private StatementSplitter() {}

    static List<GoldenFile.Statement> split(String text) {
        List<GoldenFile.Statement> statements = new ArrayList<>();
        StatementBuffer buffer = new StatementBuffer();
        Iterator<String> lines = text.lines().iterator();
        while (lines.hasNext()) {
            buffer.append(lines.next());
            for (Piece piece = buffer.next(); piece != null; piece = buffer.next()) {
                if (!(piece instanceof StatementPiece(String whole, int _))) {
                    throw new IllegalArgumentException("no statement: " + piece);
                }
                String statement = COMMENTS.matcher(whole).replaceFirst("");
                boolean copies = COPY_IN.matcher(statement).matches();
                String data = copies ? takeData(lines, statement) : null;
                statements.add(new GoldenFile.Statement(statement, data));
            }
        }
        if (buffer.open() != OpenText.NOTHING) {
            String what =
                    buffer.open() == OpenText.STATEMENT ? "no semicolon after: " : "no end of: ";
            throw new IllegalArgumentException(what + buffer.pending());
        }
        return List.copyOf(statements);
    }

    private static String takeData(Iterator<String> lines, String statement) {
        StringBuilder data = new StringBuilder();
        while (lines.hasNext()) {
            String line = lines.next();
            if (line.equals(END_OF_DATA)) {
                return data.toString();
            }
            data.append(line).append('\n');
        }
        throw new IllegalArgumentException("no line \\. after: " + statement);
    }
}
