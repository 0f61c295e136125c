package org.namdb.workload;

import picocli.CommandLine.TypeConversionException;

/// An option that makes no sense: the message is one sentence for the person who gave it. Thrown
/// while a command line is parsed, it becomes wrong usage with the name of the option before it.
public final class InvalidOptionException extends TypeConversionException {
    private static final long serialVersionUID = 1;

    public InvalidOptionException(String message) {
        super(message);
    }
}
