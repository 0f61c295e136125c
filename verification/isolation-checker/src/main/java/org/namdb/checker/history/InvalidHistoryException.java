package org.namdb.checker.history;

/// A history that can't be judged, because it isn't one: the message is one sentence for the person
/// who gave it.
public final class InvalidHistoryException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final String sentence;

    public InvalidHistoryException(String sentence) {
        super(sentence);
        this.sentence = sentence;
    }

    /// The message.
    public String sentence() {
        return sentence;
    }
}
