/// Runs plans: each operator is a cursor that pulls tuples from the cursors below it, in a
/// transaction of the compute server.
///
/// Glossary: *row*, a record as the transaction sees it. *Tuple*, the values that one operator
/// hands to the next. *Frame* (`EvaluationFrame`), the tuple that an expression is evaluated on.
@NullMarked
package org.namdb.sql.engine.execute;

import org.jspecify.annotations.NullMarked;
