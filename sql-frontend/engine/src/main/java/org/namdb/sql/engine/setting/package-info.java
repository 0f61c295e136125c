/// The settings of a session: SET, SHOW, RESET.
@NullMarked
package org.namdb.sql.engine.setting;

import org.jspecify.annotations.NullMarked;
