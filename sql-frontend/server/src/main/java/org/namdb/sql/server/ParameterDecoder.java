package org.namdb.sql.server;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.BinaryParser;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TypeOids;

/// Reads the parameters of a Bind message.
final class ParameterDecoder {
    private final MessageReader in;

    ParameterDecoder(MessageReader in) {
        this.in = in;
    }

    /// Reads the formats and the values: of their types, or as texts that the session reads.
    ///
    /// @param name of the statement, for messages
    /// @param oids the types that the client has declared for the first ones
    /// @param types those of the statement
    @Nullable Object[] decode(String name, List<Integer> oids, List<SqlType> types) {
        short[] formats = new short[in.count()];
        for (int i = 0; i < formats.length; i++) {
            formats[i] = in.int16();
        }
        int count = in.count();
        if (formats.length > 1 && formats.length != count) {
            throw new SqlException(
                    SqlState.PROTOCOL_VIOLATION,
                    "bind message has "
                            + formats.length
                            + " parameter formats but "
                            + count
                            + " parameters");
        }
        if (count != types.size()) {
            throw new SqlException(
                    SqlState.PROTOCOL_VIOLATION,
                    "bind message supplies "
                            + count
                            + " parameters, but prepared statement \""
                            + name
                            + "\" requires "
                            + types.size());
        }
        @Nullable Object[] values = new @Nullable Object[count];
        for (int i = 0; i < count; i++) {
            int length = in.int32();
            boolean isBinary =
                    formats.length > 0 && RowEncoder.isBinary(formats[formats.length == 1 ? 0 : i]);
            if (length == -1) {
                continue;
            }
            int oid = i < oids.size() ? oids.get(i) : 0;
            values[i] = isBinary ? binary(length, oid, types.get(i), i) : in.text(length);
        }
        return values;
    }

    private Object binary(int length, int oid, SqlType type, int index) {
        if (!TypeOids.isKnown(oid)) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "parameter $"
                            + (index + 1)
                            + " is of a type that is not supported: oid "
                            + oid);
        }
        ByteBuffer bytes = in.slice(length);
        Object value = BinaryParser.read(bytes, oid, type);
        if (bytes.hasRemaining()) {
            throw new SqlException(
                    SqlState.INVALID_BINARY,
                    "incorrect binary data format in bind parameter " + (index + 1));
        }
        return value;
    }
}
