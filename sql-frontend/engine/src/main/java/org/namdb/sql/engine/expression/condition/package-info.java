/// What decides: comparisons, AND, OR, NOT, tests of NULL and truth, lists, and the expressions
/// that choose between others. *Three-valued*, as SQL's logic is: null stands for unknown.
@NullMarked
package org.namdb.sql.engine.expression.condition;

import org.jspecify.annotations.NullMarked;
