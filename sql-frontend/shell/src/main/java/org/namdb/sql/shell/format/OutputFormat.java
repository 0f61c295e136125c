package org.namdb.sql.shell.format;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The forms that rows can be shown in.
public enum OutputFormat {
    /// A table with columns side by side.
    ALIGNED,
    /// Values with a separator between them, nothing filled up.
    UNALIGNED,
    /// RFC 4180 with a header line.
    CSV,
    /// An array of objects, numbers as numbers.
    JSON,
    /// A table of a Markdown document.
    MARKDOWN;

    /// The format of this name; null if there is none.
    public static @Nullable OutputFormat named(String name) {
        for (OutputFormat format : values()) {
            if (format.label().equals(name.toLowerCase(Locale.ROOT))) {
                return format;
            }
        }
        return null;
    }

    /// The name in lower case.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// Whether people read it, so that remarks may stand between the rows of two statements.
    public boolean isForPeople() {
        return this == ALIGNED || this == UNALIGNED;
    }
}
