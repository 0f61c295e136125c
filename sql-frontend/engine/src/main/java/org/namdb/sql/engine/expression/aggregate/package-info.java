/// Aggregates: `Aggregates` finds the one that is meant, an *accumulator* takes value after value
/// of a group. *Piece*, an argument together with what orders or separates it, as in `string_agg`.
@NullMarked
package org.namdb.sql.engine.expression.aggregate;

import org.jspecify.annotations.NullMarked;
