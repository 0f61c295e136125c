package org.namdb.checker.history;

import org.jspecify.annotations.Nullable;

/// How a transaction ended, as far as its client knows.
public enum Status {
    /// It has committed.
    OK("ok"),
    /// It has not: it lost a race, or was rolled back.
    FAIL("fail"),
    /// Unknown: the answer was lost.
    INFO("info");

    private final String word;

    Status(String word) {
        this.word = word;
    }

    /// Its word in a file.
    public String word() {
        return word;
    }

    /// The status for a word in a file, or null.
    static @Nullable Status of(String word) {
        for (Status status : values()) {
            if (status.word.equals(word)) {
                return status;
            }
        }
        return null;
    }
}
