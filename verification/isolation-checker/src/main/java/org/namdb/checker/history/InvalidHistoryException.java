package org.namdb.checker.history;

/// A history that can't be checked, because it isn't one: the message is one sentence for its
/// author.
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
