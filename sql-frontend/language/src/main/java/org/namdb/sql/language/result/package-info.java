/// What a statement gives back, whoever ran it: rows of typed values, notices, and a tag that says
/// what was done.
@NullMarked
package org.namdb.sql.language.result;

import org.jspecify.annotations.NullMarked;
