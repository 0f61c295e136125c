package org.namdb.sql.language.result;

/// A remark of a statement that is no error.
///
/// @param severity how much it should worry a reader
/// @param text one sentence
public record Notice(Severity severity, String text) {
    /// How much a remark should worry a reader.
    public enum Severity {
        /// What the user has asked for, as by RAISE INFO.
        INFO,
        /// Good to know, as that a table was there already.
        NOTICE,
        /// The statement did nothing, and perhaps something else was meant.
        WARNING
    }

    /// Something good to know.
    public static Notice notice(String text) {
        return new Notice(Severity.NOTICE, text);
    }

    /// Something that perhaps was not meant.
    public static Notice warning(String text) {
        return new Notice(Severity.WARNING, text);
    }

    /// As PostgreSQL's shell shows it.
    @Override
    public String toString() {
        return severity + ":  " + text;
    }
}
