/// Expressions whose names and types are known, and which give values: columns, operators, functions, casts, aggregates.
@NullMarked
package org.namdb.sql.engine.expression;

import org.jspecify.annotations.NullMarked;
