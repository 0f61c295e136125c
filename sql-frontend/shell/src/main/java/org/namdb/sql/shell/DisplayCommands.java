package org.namdb.sql.shell;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.shell.format.LineStyle;
import org.namdb.sql.shell.format.ListedRows;
import org.namdb.sql.shell.format.OutputFormat;
import org.namdb.sql.shell.format.PrintSettings;
import org.namdb.sql.shell.format.PrintSettings.Expanded;

/// The meta commands that change how rows look: `\x`, `\format`, `\pset`.
final class DisplayCommands {
    /// The options of `\pset`.
    static final List<String> OPTIONS =
            List.of(
                    "border",
                    "expanded",
                    "fieldsep",
                    "format",
                    "linestyle",
                    "null",
                    "pager",
                    "tuples_only");

    private final ShellSettings settings;
    private final PrintSettings print;
    private final ShellOutput output;

    DisplayCommands(ShellSettings settings, ShellOutput output) {
        this.settings = settings;
        this.print = settings.print();
        this.output = output;
    }

    /// `\x [on|off|auto]`.
    void expanded(@Nullable String value) {
        if (value == null) {
            print.expanded(print.expanded() == Expanded.OFF ? Expanded.ON : Expanded.OFF);
        } else if (value.equals("auto")) {
            print.expanded(Expanded.AUTO);
        } else {
            print.expanded(isOn(value) ? Expanded.ON : Expanded.OFF);
        }
        String how =
                switch (print.expanded()) {
                    case ON -> "on";
                    case OFF -> "off";
                    case AUTO -> "used where rows are wider than the screen";
                };
        output.remark("Expanded display is " + how + ".");
    }

    /// `\format [name]`.
    void format(@Nullable String name) {
        if (name == null) {
            boolean isExpanded = print.expanded() == Expanded.ON;
            output.remark("Format is " + (isExpanded ? "expanded" : print.format().label()) + ".");
            return;
        }
        if (name.equalsIgnoreCase("expanded")) {
            print.format(OutputFormat.ALIGNED);
            print.expanded(Expanded.ON);
        } else {
            OutputFormat format = OutputFormat.named(name);
            if (format == null) {
                throw new ShellException(
                        "there is no format \""
                                + name
                                + "\"; there are aligned, unaligned, csv, json, markdown and expanded");
            }
            print.format(format);
            print.expanded(Expanded.OFF);
        }
        output.remark("Format is " + name.toLowerCase(Locale.ROOT) + ".");
    }

    /// `\a`: from aligned to unaligned, and from all else to aligned.
    void unaligned() {
        boolean isAligned = print.format() == OutputFormat.ALIGNED;
        format((isAligned ? OutputFormat.UNALIGNED : OutputFormat.ALIGNED).label());
    }

    /// `\pset [option [value]]`.
    void set(@Nullable String option, @Nullable String value) {
        if (option == null) {
            list();
            return;
        }
        switch (option) {
            case "border" -> print.border(border(value));
            case "expanded" -> {
                expanded(value);
                return;
            }
            case "fieldsep" -> print.fieldSeparator(needed(option, value));
            case "format" -> {
                format(value);
                return;
            }
            case "linestyle" -> print.lineStyle(lineStyle(value));
            case "null" -> print.nullText(value == null ? "" : value);
            case "pager" -> settings.paged(value == null ? !settings.isPaged() : isOn(value));
            case "tuples_only", "t" ->
                    print.tuplesOnly(value == null ? !print.tuplesOnly() : isOn(value));
            default ->
                    throw new ShellException(
                            "there is no option \""
                                    + option
                                    + "\"; there are "
                                    + String.join(", ", OPTIONS));
        }
        String name = option.equals("t") ? "tuples_only" : option;
        output.remark(name + " is " + quoted(values().get(name)) + ".");
    }

    /// `on` or `off`.
    static boolean isOn(String value) {
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "on", "true", "1", "yes" -> true;
            case "off", "false", "0", "no" -> false;
            default -> throw new ShellException("on or off, not \"" + value + "\"");
        };
    }

    private void list() {
        List<@Nullable Object[]> rows = new ArrayList<>();
        values().forEach((name, value) -> rows.add(ListedRows.row(name, value)));
        output.listing(ListedRows.ofText(List.of("option", "value"), rows));
    }

    private Map<String, String> values() {
        Map<String, String> values = new TreeMap<>();
        values.put("border", Integer.toString(print.border()));
        values.put("expanded", print.expanded().name().toLowerCase(Locale.ROOT));
        values.put("fieldsep", print.fieldSeparator());
        values.put("format", print.format().label());
        values.put("linestyle", print.lineStyle().name().toLowerCase(Locale.ROOT));
        values.put("null", print.nullText());
        values.put("pager", settings.isPaged() ? "on" : "off");
        values.put("tuples_only", print.tuplesOnly() ? "on" : "off");
        return values;
    }

    private static String quoted(@Nullable String value) {
        return value == null || value.isBlank() ? "'" + value + "'" : value;
    }

    private static int border(@Nullable String value) {
        if (value == null || !List.of("0", "1", "2").contains(value)) {
            throw new ShellException("border is 0, 1 or 2");
        }
        return Integer.parseInt(value);
    }

    private static LineStyle lineStyle(@Nullable String value) {
        return switch (value) {
            case "ascii" -> LineStyle.ASCII;
            case "unicode" -> LineStyle.UNICODE;
            case null, default -> throw new ShellException("linestyle is ascii or unicode");
        };
    }

    private static String needed(String option, @Nullable String value) {
        if (value == null) {
            throw new ShellException(option + " needs a value");
        }
        return value;
    }
}
