package org.namdb.tpcc.load;

import org.namdb.compute.read.Row;
import org.namdb.mvcc.schema.Column;
import org.namdb.tpcc.input.TpccRandom;

/// Sets columns to random texts (clause 4.3.2.2); with a buffer that belongs to one thread.
final class ColumnText {
    private static final int PHONE_DIGITS = 16;
    private static final int MIN_STREET = 10;
    private static final int MAX_STREET = 20;
    private static final int MAX_BYTES = 500;

    private final byte[] buffer = new byte[MAX_BYTES];

    /// An a-string.
    void alphanumeric(Row row, Column column, TpccRandom random, int least, int most) {
        row.setBytes(column, buffer, 0, random.alphanumeric(buffer, least, most));
    }

    /// The data of an item or a stock, 26 to 50 bytes.
    void brand(Row row, Column column, TpccRandom random) {
        row.setBytes(column, buffer, 0, random.brand(buffer, 26, 50));
    }

    /// Lines of a street, or a city.
    void street(Row row, Column column, TpccRandom random) {
        alphanumeric(row, column, random, MIN_STREET, MAX_STREET);
    }

    /// Two letters.
    void state(Row row, Column column, TpccRandom random) {
        buffer[0] = (byte) random.uniform('A', 'Z');
        buffer[1] = (byte) random.uniform('A', 'Z');
        row.setBytes(column, buffer, 0, 2);
    }

    void zip(Row row, Column column, TpccRandom random) {
        row.setBytes(column, buffer, 0, random.zip(buffer));
    }

    void phone(Row row, Column column, TpccRandom random) {
        row.setBytes(column, buffer, 0, random.numeric(buffer, PHONE_DIGITS, PHONE_DIGITS));
    }
}
