package org.namdb.sql.language.parser;

import org.namdb.sql.language.ast.Position;

/// The text of a statement without its constants, as `pg_stat_statements` shows it: statements that
/// differ in constants, spaces and comments alone have the same.
public final class NormalizedStatement {
    /// Longer statements are cut: they are loads of data, whose beginning says what they are.
    private static final int MAX_CHARS = 4096;

    private NormalizedStatement() {}

    /// That of a statement.
    ///
    /// @param text what was parsed
    /// @param at where the statement stands in it
    public static String of(String text, Position at) {
        int end = Math.min(text.length(), at.offset() + at.length());
        StringBuilder normalized = new StringBuilder(Math.min(MAX_CHARS, end - at.offset()));
        SqlScanner scanner = new SqlScanner(text, at.offset());
        int constants = 0;
        int last = at.offset();
        while (scanner.nextSignificant() != SqlScanner.Kind.END && scanner.start() < end) {
            if (scanner.kind() == SqlScanner.Kind.SIGN && text.charAt(scanner.start()) == ';') {
                break;
            }
            if (normalized.length() > MAX_CHARS) {
                return normalized.append(" ..").toString();
            }
            if (scanner.start() > last) {
                normalized.append(' ');
            }
            switch (scanner.kind()) {
                case STRING, ESCAPE_STRING, DOLLAR_STRING, INTEGER, DECIMAL, FLOAT ->
                        normalized.append('$').append(++constants);
                default -> normalized.append(text, scanner.start(), scanner.end());
            }
            last = scanner.end();
        }
        return normalized.toString();
    }
}
