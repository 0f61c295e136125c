/// SQL for the database.
///
/// A statement's way: `parser` makes text a tree of `ast`; `bind` gives the names in it their meaning, which the `catalog` knows, and makes
/// expressions of `expression` over values of `type`; `plan` chooses access paths; `execute` runs the plan in a transaction of the compute server. `change` does INSERT,
/// UPDATE and DELETE with their constraints, `define` what makes and alters tables, `copy` reads and writes rows as text, `setting` keeps what SET sets.
/// `shell` is the interactive front of it.
///
/// Glossary: *statement*, one command of the user. *Tuple*, the values that one operator hands to the next. *Plan node*, one operator. *Access
/// path*, how a table's rows are reached: by key, by an index, or by a scan. *SQLSTATE*, the five characters that classify an error.
@NullMarked
package org.namdb.sql;

import org.jspecify.annotations.NullMarked;
