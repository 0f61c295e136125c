/// Tables, columns, keys and indexes: what the bytes of a record mean.
///
/// A *key* is a sequence of unsigned 64-bit words that compare as the key columns do; a *payload*
/// is the fixed-length image of the other columns. A *projection* is the part of a payload that a
/// transaction reads.
@NullMarked
package org.namdb.mvcc.schema;

import org.jspecify.annotations.NullMarked;
