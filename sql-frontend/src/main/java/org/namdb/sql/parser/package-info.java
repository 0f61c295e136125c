/// Reads SQL: the grammar, and what makes trees of `ast` out of its parses.
@NullMarked
package org.namdb.sql.parser;

import org.jspecify.annotations.NullMarked;
