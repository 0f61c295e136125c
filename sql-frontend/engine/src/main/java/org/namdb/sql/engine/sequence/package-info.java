/// Sequences: their values, which a compute server reserves in ranges, and what a session has got
/// of them.
@NullMarked
package org.namdb.sql.engine.sequence;

import org.jspecify.annotations.NullMarked;
