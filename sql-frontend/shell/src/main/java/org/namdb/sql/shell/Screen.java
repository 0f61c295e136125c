package org.namdb.sql.shell;

import java.io.PrintWriter;

/// Where the shell writes to.
public interface Screen {
    /// Takes results.
    PrintWriter out();

    /// Takes errors and remarks; on a terminal the same as [#out].
    PrintWriter errors();

    /// Whether a person looks at it.
    boolean isTerminal();

    /// The width in columns; 0 if it is no terminal.
    int columns();

    /// The height in lines; 0 if it is no terminal.
    int rows();

    /// A screen that is no terminal.
    static Screen of(PrintWriter out, PrintWriter errors) {
        return new Screen() {
            @Override
            public PrintWriter out() {
                return out;
            }

            @Override
            public PrintWriter errors() {
                return errors;
            }

            @Override
            public boolean isTerminal() {
                return false;
            }

            @Override
            public int columns() {
                return 0;
            }

            @Override
            public int rows() {
                return 0;
            }
        };
    }
}
