/// Plans: trees of operators that hand on tuples, and the rules by which they are chosen.
@NullMarked
package org.namdb.sql.engine.plan;

import org.jspecify.annotations.NullMarked;
