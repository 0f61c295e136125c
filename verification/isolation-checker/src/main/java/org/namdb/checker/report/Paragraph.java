package org.namdb.checker.report;

/// Text that is wrapped into lines at blanks.
final class Paragraph {
    private static final int WIDTH = 96;

    private Paragraph() {}

    /// The text in lines, each but the first with this indentation.
    ///
    /// @param used how many columns of the first line are taken already
    static String wrap(String text, int used, int indentation) {
        StringBuilder wrapped = new StringBuilder();
        int column = used;
        for (String word : text.split(" ", -1)) {
            if (column > indentation && column + 1 + word.length() > WIDTH) {
                wrapped.append('\n').repeat(' ', indentation);
                column = indentation;
            } else if (!wrapped.isEmpty()) {
                wrapped.append(' ');
                column++;
            }
            wrapped.append(word);
            column += word.length();
        }
        return wrapped.toString();
    }
}
