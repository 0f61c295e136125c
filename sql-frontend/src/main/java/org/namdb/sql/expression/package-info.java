/// Expressions whose names and types are known, and which give values: columns, operators, functions, casts, aggregates.
@NullMarked
package org.namdb.sql.expression;

import org.jspecify.annotations.NullMarked;
