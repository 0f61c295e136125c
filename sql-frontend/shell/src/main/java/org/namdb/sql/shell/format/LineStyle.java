package org.namdb.sql.shell.format;

/// The signs that tables are drawn with.
public enum LineStyle {
    /// `-`, `|` and `+`: for every terminal and every file.
    ASCII("-", "|", "+++", "+++", "+++", "+"),
    /// Box drawing.
    UNICODE("─", "│", "┌┬┐", "├┼┤", "└┴┘", "↵");

    private final String horizontal;
    private final String vertical;
    private final String top;
    private final String middle;
    private final String bottom;
    private final String continuation;

    LineStyle(
            String horizontal,
            String vertical,
            String top,
            String middle,
            String bottom,
            String continuation) {
        this.horizontal = horizontal;
        this.vertical = vertical;
        this.top = top;
        this.middle = middle;
        this.bottom = bottom;
        this.continuation = continuation;
    }

    String horizontal() {
        return horizontal;
    }

    String vertical() {
        return vertical;
    }

    /// Left corner, crossing and right corner of the line above the header.
    String top() {
        return top;
    }

    /// The same of the line below the header.
    String middle() {
        return middle;
    }

    /// The same of the last line.
    String bottom() {
        return bottom;
    }

    /// Marks a line of a cell that goes on in the next.
    String continuation() {
        return continuation;
    }
}
