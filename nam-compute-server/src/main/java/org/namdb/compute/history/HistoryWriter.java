package org.namdb.compute.history;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/// Adds transactions to a [HistoryFile], one line of JSON each, here wrapped:
/// ```
/// {"tid":12,"sid":"c0-t3","status":"ok","i":3,"t":57,"b":1000,"e":1400,
///  "snap":[9,4,7,56],"ops":[["r",17,5],["w",17,8]]}
/// ```
/// Lines are kept back until there are some 64 KB of them. Belongs to one thread at a time;
/// allocates nothing once its buffer has its size.
public final class HistoryWriter {
    private static final int FLUSH_BYTES = 64 << 10;

    /// The longest text of a number.
    private static final int NUMBER_BYTES = 20;

    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    /// How a transaction has ended, for its client.
    public enum Status {
        /// Committed.
        OK,
        /// It has changed nothing.
        FAIL,
        /// Unknown.
        INFO;

        private final String text = name().toLowerCase(Locale.ROOT);
    }

    private final HistoryFile file;
    private byte[] bytes = new byte[FLUSH_BYTES + FLUSH_BYTES / 4];
    private int length;
    private final AtomicLong transactions = new AtomicLong();

    HistoryWriter(HistoryFile file) {
        this.file = file;
    }

    /// Adds a transaction. The parameters are the fields of the line, in its order.
    ///
    /// @param tid another one for each transaction of the file
    /// @param sid the session: a client that runs one transaction after another
    /// @param status how it ended
    /// @param i slot of its commit timestamp, or -1
    /// @param t its commit timestamp, or -1
    /// @param b when its client began it: nanoseconds of one monotonic clock
    /// @param e when its client had the result
    /// @param snap the snapshot that it used, slot by slot
    /// @param ops what it read and wrote, in program order
    public void add(
            long tid,
            String sid,
            Status status,
            long i,
            long t,
            long b,
            long e,
            long[] snap,
            Operations ops) {
        append("{\"tid\":").append(tid).append(",\"sid\":").appendString(sid);
        append(",\"status\":\"").append(status.text).append("\",\"i\":").append(i);
        append(",\"t\":").append(t).append(",\"b\":").append(b).append(",\"e\":").append(e);
        append(",\"snap\":[");
        for (int slot = 0; slot < snap.length; slot++) {
            append(slot == 0 ? "" : ",").append(snap[slot]);
        }
        append("],\"ops\":[");
        for (int index = 0; index < ops.size(); index++) {
            append(index == 0 ? "[" : ",[").append(ops.isWrite(index) ? "\"w\"," : "\"r\",");
            append(ops.key(index)).append(",").append(ops.value(index)).append("]");
        }
        append("]}\n");
        transactions.incrementAndGet();
        if (length >= FLUSH_BYTES) {
            flush();
        }
    }

    /// How many transactions it has added.
    long transactions() {
        return transactions.get();
    }

    /// Writes all that is buffered to the file.
    void flush() {
        if (length > 0) {
            file.append(bytes, length);
            length = 0;
        }
    }

    private HistoryWriter append(String ascii) {
        reserve(ascii.length());
        for (int at = 0; at < ascii.length(); at++) {
            bytes[length++] = (byte) ascii.charAt(at);
        }
        return this;
    }

    private HistoryWriter append(long number) {
        reserve(NUMBER_BYTES);
        int end = length + digits(number);
        if (number < 0) {
            bytes[length] = '-';
            end++;
        }
        // Of a negative number, the remainders are negative: its absolute value may be no long.
        long left = number;
        for (int at = end - 1; at >= length + (number < 0 ? 1 : 0); at--) {
            bytes[at] = (byte) ('0' + Math.abs((int) (left % 10)));
            left /= 10;
        }
        length = end;
        return this;
    }

    private static int digits(long number) {
        int digits = 1;
        for (long left = number / 10; left != 0; left /= 10) {
            digits++;
        }
        return digits;
    }

    /// A JSON string.
    private HistoryWriter appendString(String text) {
        append("\"");
        boolean isPlain = true;
        for (int at = 0; at < text.length() && isPlain; at++) {
            char c = text.charAt(at);
            isPlain = c >= ' ' && c < 0x7f && c != '"' && c != '\\';
        }
        if (isPlain) {
            append(text);
        } else {
            appendEscaped(text);
        }
        return append("\"");
    }

    /// Everything but plain ASCII as `\\u` and four digits, so that no text can do harm.
    private void appendEscaped(String text) {
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            reserve(6);
            if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
                bytes[length++] = (byte) c;
            } else {
                bytes[length++] = '\\';
                bytes[length++] = 'u';
                for (int shift = 12; shift >= 0; shift -= 4) {
                    bytes[length++] = HEX[c >> shift & 15];
                }
            }
        }
    }

    private void reserve(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
        }
    }
}
