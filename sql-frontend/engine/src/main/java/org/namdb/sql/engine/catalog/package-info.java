/// What SQL knows of tables beyond what the compute server does: types, defaults, constraints,
/// indexes.
@NullMarked
package org.namdb.sql.engine.catalog;

import org.jspecify.annotations.NullMarked;
