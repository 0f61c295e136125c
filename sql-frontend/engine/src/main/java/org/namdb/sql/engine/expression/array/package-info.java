/// Arrays in expressions: constructors, quantified comparisons, functions and operators.
@NullMarked
package org.namdb.sql.engine.expression.array;

import org.jspecify.annotations.NullMarked;
