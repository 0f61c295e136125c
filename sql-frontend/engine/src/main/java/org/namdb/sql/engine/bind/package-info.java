/// Gives the names in a statement their meaning, and makes expressions that can be evaluated of
/// those that were parsed.
@NullMarked
package org.namdb.sql.engine.bind;

import org.jspecify.annotations.NullMarked;
