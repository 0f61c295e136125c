/// Text as expressions see it: code points, `LIKE` and its patterns, padding, concatenation.
@NullMarked
package org.namdb.sql.engine.expression.text;

import org.jspecify.annotations.NullMarked;
