package org.namdb.sql.shell.format;

/// Colours of a terminal; none where they are not wanted. All of them can be read on a dark and on
/// a light background: neither yellow nor cyan can.
///
/// @param isOn whether there are any
public record Paint(boolean isOn) {
    /// For what is an error.
    public String error(String text) {
        return with("1;31", text);
    }

    /// For what is a remark or may help.
    public String remark(String text) {
        return with("35", text);
    }

    /// For headings.
    public String heading(String text) {
        return with("1", text);
    }

    /// For what is there but should not be looked at first.
    public String faint(String text) {
        return with("2", text);
    }

    /// For what is new to a reader: names of commands.
    public String command(String text) {
        return with("1", text);
    }

    private String with(String code, String text) {
        return isOn && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }
}
