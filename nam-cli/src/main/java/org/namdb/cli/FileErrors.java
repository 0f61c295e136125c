package org.namdb.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/// Errors of files in plain words.
final class FileErrors {
    private FileErrors() {}

    /// Why a file can't be read or written, without its name.
    static String reason(IOException e) {
        return switch (e) {
            case NoSuchFileException _ -> "there is no such file";
            case AccessDeniedException _ -> "permission denied";
            default -> String.valueOf(e.getMessage());
        };
    }
}
