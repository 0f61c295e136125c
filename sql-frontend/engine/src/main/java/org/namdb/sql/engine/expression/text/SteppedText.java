package org.namdb.sql.engine.expression.text;

import org.jspecify.annotations.Nullable;

/// A text whose characters are read in a limited number of steps, so that what reads them is
/// interrupted.
final class SteppedText implements CharSequence {
    private final String text;
    private final @Nullable Runnable check;
    private final long interval;
    private long steps;

    /// There are no steps left.
    static final class OutOfSteps extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private static final OutOfSteps INSTANCE = new OutOfSteps();

        private OutOfSteps() {
            super(null, null, false, false);
        }
    }

    /// @param steps how many characters are read at most
    /// @param check what is done after so many, instead, and after as many again
    SteppedText(String text, long steps, @Nullable Runnable check) {
        this.text = text;
        this.steps = steps;
        this.interval = steps;
        this.check = check;
    }

    @Override
    public char charAt(int index) {
        if (--steps < 0) {
            used();
        }
        return text.charAt(index);
    }

    private void used() {
        if (check == null) {
            throw OutOfSteps.INSTANCE;
        }
        check.run();
        steps = interval;
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return text.substring(start, end);
    }

    @Override
    public String toString() {
        return text;
    }
}
