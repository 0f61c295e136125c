/// Arithmetic of numbers, exact as PostgreSQL's: integers that overflow, decimals with their
/// scales, floating-point numbers, logarithms.
@NullMarked
package org.namdb.sql.engine.expression.number;

import org.jspecify.annotations.NullMarked;
