/// SQL types, and the Java values that stand for theirs.
@NullMarked
package org.namdb.sql.language.type;

import org.jspecify.annotations.NullMarked;
