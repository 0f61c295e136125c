package org.namdb.cluster.config;

import java.nio.file.Path;

/// Who has chosen a value.
public sealed interface Origin {
    /// Nobody.
    record Default() implements Origin {
        @Override
        public String toString() {
            return "default";
        }
    }

    /// A line of a file, from 1.
    record FileLine(Path file, int line) implements Origin {
        @Override
        public String toString() {
            return file + ":" + line;
        }
    }

    /// A variable of the environment.
    record Environment(String variable) implements Origin {
        @Override
        public String toString() {
            return "environment " + variable;
        }
    }

    /// An option of the command line.
    record Flag(String option) implements Origin {
        @Override
        public String toString() {
            return "option " + option;
        }
    }
}
