/// What a statement returns, from wherever it ran: rows of typed values, notices, and a tag of what
/// was done.
@NullMarked
package org.namdb.sql.language.result;

import org.jspecify.annotations.NullMarked;
