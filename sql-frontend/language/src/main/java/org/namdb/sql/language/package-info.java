/// SQL as it is written and answered, for whoever speaks it: the engine, a shell, a wire protocol,
/// a client. Nothing here knows of a database.
///
/// `parser` makes text a tree of `ast`, and a tree text; `type` has the types with their values as
/// text; `error` what goes wrong, with its SQLSTATE and place; `result` what a statement
/// gives back.
///
/// Glossary: *statement*, one command of the user. *SQLSTATE*, the five characters that classify
/// an error.
@NullMarked
package org.namdb.sql.language;

import org.jspecify.annotations.NullMarked;
