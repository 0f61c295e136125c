/// The operators of SQL: which one is meant by the types of its operands, and what it makes of
/// them. `Operators` has those of arithmetic and text, `Logic` those that decide.
@NullMarked
package org.namdb.sql.engine.expression.operator;

import org.jspecify.annotations.NullMarked;
