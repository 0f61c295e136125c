package org.namdb.sql.shell;

import java.io.Reader;
import org.jspecify.annotations.Nullable;

/// The data of a `COPY .. FROM STDIN`: the lines up to one of `\.`, or up to the end.
final class CopyLines extends Reader {
    private final LineSource source;
    private final Runnable begin;
    private String line = "";
    private int taken;
    private boolean isBegun;
    private boolean isEnded;
    private boolean isGivenUp;

    /// @param begin is run before the first line is read
    CopyLines(LineSource source, Runnable begin) {
        this.source = source;
        this.begin = begin;
    }

    @Override
    public int read(char[] target, int offset, int length) {
        if (length == 0) {
            return 0;
        }
        if (taken == line.length() && !fill()) {
            return -1;
        }
        int count = Math.min(length, line.length() - taken);
        line.getChars(taken, taken + count, target, offset);
        taken += count;
        return count;
    }

    /// Passes over what is left, unless the person gives it up.
    @Override
    public void close() {
        try {
            while (!isEnded && !isGivenUp) {
                fill();
            }
        } catch (LineSource.ClearedException e) {
            // given up, and so at its end
        }
    }

    /// Whether a line was read.
    boolean isBegun() {
        return isBegun;
    }

    /// Whether the user has given it up, so that no more may be read.
    boolean isGivenUp() {
        return isGivenUp;
    }

    private @Nullable String take() {
        if (!isBegun) {
            isBegun = true;
            begin.run();
        }
        try {
            return source.next(OpenText.COPY_DATA);
        } catch (LineSource.ClearedException e) {
            isGivenUp = true;
            throw e;
        }
    }

    private boolean fill() {
        if (isEnded) {
            return false;
        }
        @Nullable String next = take();
        isEnded = next == null || next.equals("\\.");
        line = isEnded ? "" : next + "\n";
        taken = 0;
        return !isEnded;
    }
}
