/// SQL as it is written and answered, for its users: the engine, a shell, a wire protocol, a
/// client. Nothing here depends on a database.
///
/// `parser` makes text a tree of `ast`, and a tree text; `type` has the types with their values as
/// text; `error` the errors, with SQLSTATE and place; `result` what a statement returns.
///
/// Glossary: *statement*, one command of the user. *SQLSTATE*, the five characters that classify
/// an error.
@NullMarked
package org.namdb.sql.language;

import org.jspecify.annotations.NullMarked;
