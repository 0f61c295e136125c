package org.namdb.sql.engine.golden;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;
import org.namdb.sql.language.parser.StatementSplitter;
import org.namdb.sql.language.parser.StatementSplitter.Open;
import org.namdb.sql.language.parser.StatementSplitter.Piece;

/// Cuts a golden file into its statements, as the shell does, with the data after
/// `COPY ... FROM STDIN;`, which ends with a line `\.`. Comments between statements are left out.
final class GoldenStatements {
    private static final Pattern COPY_IN =
            Pattern.compile("(?is)COPY\\b.*\\bFROM\\s+STDIN\\b(?:[^']|'[^']*')*");
    private static final Pattern COMMENTS = Pattern.compile("(?s)\\A(/\\*.*?\\*/\\s*)+");
    private static final String END_OF_DATA = "\\.";

    private GoldenStatements() {}

    static List<GoldenFile.Statement> split(String text) {
        List<GoldenFile.Statement> statements = new ArrayList<>();
        StatementSplitter splitter = new StatementSplitter();
        Iterator<String> lines = text.lines().iterator();
        while (lines.hasNext()) {
            for (Piece piece : splitter.add(lines.next() + "\n")) {
                String statement = COMMENTS.matcher(piece.text()).replaceFirst("");
                boolean copies = COPY_IN.matcher(statement).matches();
                String data = copies ? takeData(lines, statement) : null;
                statements.add(new GoldenFile.Statement(statement, data));
            }
            if (splitter.open() == Open.NOTHING) {
                splitter.clear(); // comments alone belong to no statement
            }
        }
        if (splitter.open() != Open.NOTHING) {
            String what =
                    splitter.open() == Open.STATEMENT ? "no semicolon after: " : "no end of: ";
            throw new IllegalArgumentException(what + splitter.rest());
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
