/// Errors as a user gets them: SQLSTATE, message, place in the text, hint.
@NullMarked
package org.namdb.sql.language.error;

import org.jspecify.annotations.NullMarked;
