package org.namdb.simulation;

/// What is thrown, for people: all causes, and where the first one came from.
final class FailureText {
    private static final int FRAMES = 12;

    private FailureText() {}

    static String of(Throwable thrown) {
        StringBuilder text = new StringBuilder();
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            text.append(text.isEmpty() ? "" : ": ").append(cause);
            if (cause.getCause() == null && cause.getStackTrace().length > 0) {
                for (int i = 0; i < Math.min(FRAMES, cause.getStackTrace().length); i++) {
                    text.append("\n    at ").append(cause.getStackTrace()[i]);
                }
            }
        }
        return text.toString();
    }
}
