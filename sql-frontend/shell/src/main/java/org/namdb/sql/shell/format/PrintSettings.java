package org.namdb.sql.shell.format;

/// How rows are shown. The user changes it while the shell runs.
public final class PrintSettings {
    /// Whether every row becomes a small table of its own.
    public enum Expanded {
        ON,
        OFF,
        /// When the rows are wider than the screen.
        AUTO
    }

    private OutputFormat format = OutputFormat.ALIGNED;
    private Expanded expanded = Expanded.OFF;
    private LineStyle lineStyle = LineStyle.ASCII;
    private int border = 1;
    private String nullText = "";
    private String fieldSeparator = "|";
    private boolean tuplesOnly;
    private boolean hasCount = true;
    private boolean colored;
    private int screenColumns;

    /// The form of the rows.
    public OutputFormat format() {
        return format;
    }

    public void format(OutputFormat chosen) {
        format = chosen;
    }

    /// Whether rows are shown one below the other.
    public Expanded expanded() {
        return expanded;
    }

    public void expanded(Expanded chosen) {
        expanded = chosen;
    }

    /// The signs that tables are drawn with.
    public LineStyle lineStyle() {
        return lineStyle;
    }

    public void lineStyle(LineStyle chosen) {
        lineStyle = chosen;
    }

    /// 0 for no lines, 1 for lines between columns, 2 for a frame too.
    public int border() {
        return border;
    }

    public void border(int chosen) {
        border = chosen;
    }

    /// What stands for NULL in the formats for people.
    public String nullText() {
        return nullText;
    }

    public void nullText(String text) {
        nullText = text;
    }

    /// What stands between the values of unaligned rows.
    public String fieldSeparator() {
        return fieldSeparator;
    }

    public void fieldSeparator(String separator) {
        fieldSeparator = separator;
    }

    /// Whether headers and row counts are left out.
    public boolean tuplesOnly() {
        return tuplesOnly;
    }

    public void tuplesOnly(boolean chosen) {
        tuplesOnly = chosen;
    }

    /// Whether the number of rows is shown after them.
    public boolean hasCount() {
        return hasCount && !tuplesOnly;
    }

    /// Whether escape sequences for colours may be written.
    public boolean colored() {
        return colored;
    }

    public void colored(boolean chosen) {
        colored = chosen;
    }

    /// The width of the screen in columns; 0 if there is no screen.
    public int screenColumns() {
        return screenColumns;
    }

    public void screenColumns(int columns) {
        screenColumns = columns;
    }

    /// The same settings for what the shell itself lists: side by side, and not counted.
    public PrintSettings forListing() {
        PrintSettings copy = forFile();
        copy.colored = colored;
        copy.expanded = Expanded.OFF;
        copy.hasCount = false;
        return copy;
    }

    /// The same settings without what only a terminal understands, for a file.
    public PrintSettings forFile() {
        PrintSettings copy = new PrintSettings();
        copy.format = format;
        copy.expanded = expanded;
        copy.lineStyle = lineStyle;
        copy.border = border;
        copy.nullText = nullText;
        copy.fieldSeparator = fieldSeparator;
        copy.tuplesOnly = tuplesOnly;
        copy.hasCount = hasCount;
        return copy;
    }
}
