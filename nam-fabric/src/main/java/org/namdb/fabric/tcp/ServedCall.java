package org.namdb.fabric.tcp;

import org.jspecify.annotations.Nullable;

/// The last call of a queue pair. A call that comes again, as its answer was lost with a
/// connection, is not done again: it is answered with what it was answered before. For the agent's
/// thread alone.
final class ServedCall {
    private int number;
    private byte @Nullable [] answer;
    private int code;

    /// Whether this call has come before; if not, it is the last one from now on.
    boolean isRepeated(int call) {
        if (call == number) {
            return true;
        }
        number = call;
        answer = null;
        return false;
    }

    void answered(int call, int newCode, byte[] newAnswer) {
        if (call == number) {
            code = newCode;
            answer = newAnswer;
        }
    }

    /// Null while it is being done.
    byte @Nullable [] answer() {
        return answer;
    }

    int code() {
        return code;
    }
}
