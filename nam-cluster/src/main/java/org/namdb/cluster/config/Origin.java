package org.namdb.cluster.config;

import java.nio.file.Path;

/// Where a value was set.
public sealed interface Origin {
    /// It was not set.
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
