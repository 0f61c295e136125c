package org.namdb.sql.shell.format;

import java.util.ArrayList;
import java.util.List;

/// A line of a statement with a place in it marked, as wide as a terminal allows: of a longer line
/// the part around the place.
///
/// @param line the line, or the part of it
/// @param marks blanks and `^`, to stand under the line
public record MarkedLine(String line, String marks) {
    private static final String CUT = "...";

    /// What follows the place is of use too, to know where one is.
    private static final int MIN_AFTER = 10;

    /// Marks a place in a line.
    ///
    /// @param prefix what stands before the line, as `LINE 1: `
    /// @param text the line
    /// @param place where the place begins, in characters from 0
    /// @param length of the place, in characters
    /// @param columns what a terminal's line takes
    public static MarkedLine of(String prefix, String text, int place, int length, int columns) {
        List<String> cells = cells(text);
        int start = Math.min(place, cells.size());
        int end = Math.min(start + length, cells.size());
        int capacity = Math.max(4 * MIN_AFTER, columns - prefix.length() - 1);
        int first = 0;
        int last = cells.size();
        if (width(cells, 0, last) > capacity) {
            first = first(cells, start, end, capacity);
            last = last(cells, first, capacity - (first > 0 ? CUT.length() : 0));
        }
        String before = prefix + (first > 0 ? CUT : "");
        String after = last < cells.size() ? CUT : "";
        int marks = Math.max(1, width(cells, start, Math.clamp(end, start, Math.max(start, last))));
        return new MarkedLine(
                before + String.join("", cells.subList(first, last)) + after,
                " ".repeat(before.length() + width(cells, first, start)) + "^".repeat(marks));
    }

    /// The first character to show: that of the line if the place fits in then, else so that the
    /// place stands in the middle.
    private static int first(List<String> cells, int start, int end, int capacity) {
        int place = Math.min(width(cells, start, end), capacity / 2);
        if (width(cells, 0, start) + place + MIN_AFTER + CUT.length() <= capacity) {
            return 0;
        }
        int before = (capacity - 2 * CUT.length() - place) / 2;
        int after = width(cells, end, cells.size());
        if (after < before) {
            before = capacity - CUT.length() - place - after; // the line's end fits in
        }
        int first = start;
        while (first > 0 && width(cells, first - 1, start) <= before) {
            first--;
        }
        return first;
    }

    /// Where to end so that it fits.
    private static int last(List<String> cells, int first, int capacity) {
        if (width(cells, first, cells.size()) <= capacity) {
            return cells.size();
        }
        int last = first;
        while (last < cells.size() && width(cells, first, last + 1) <= capacity - CUT.length()) {
            last++;
        }
        return last;
    }

    private static int width(List<String> cells, int from, int to) {
        int width = 0;
        for (int i = from; i < to; i++) {
            width += CellText.width(cells.get(i));
        }
        return width;
    }

    /// Each character as it is shown; a tab as one blank.
    private static List<String> cells(String text) {
        List<String> cells = new ArrayList<>();
        text.codePoints()
                .mapToObj(Character::toString)
                .map(shown -> shown.equals("\t") ? " " : CellText.line(shown))
                .forEach(cells::add);
        return cells;
    }
}
