/// What SQL knows of tables beyond what the compute server does: types, defaults, constraints, indexes.
@NullMarked
package org.namdb.sql.catalog;

import org.jspecify.annotations.NullMarked;
