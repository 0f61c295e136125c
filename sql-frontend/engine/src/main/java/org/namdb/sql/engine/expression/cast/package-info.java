/// From one type to another: when it is allowed, implicitly or only explicitly, and what becomes of
/// a value. *Assignment*, the cast of a value to the type of the column that takes it.
@NullMarked
package org.namdb.sql.engine.expression.cast;

import org.jspecify.annotations.NullMarked;
