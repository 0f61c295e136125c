/// The functions that statements call, by name: `Functions` finds the one that is meant,
/// `FunctionTable` is how a family of them is written down. *Picture*, the format string of
/// `to_char`.
@NullMarked
package org.namdb.sql.engine.expression.function;

import org.jspecify.annotations.NullMarked;
