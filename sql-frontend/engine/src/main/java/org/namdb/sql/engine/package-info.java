/// SQL for the database: [SqlDatabase] has the sessions, [SqlSession] runs statements.
///
/// The steps of a statement: the language's parser makes its text a tree; `bind` resolves its names
/// in the `catalog`, and makes expressions of `expression`; `plan` chooses access paths; `execute`
/// runs the plan in a transaction of the compute server, with the encodings of rows and keys in
/// `record`. `change` does INSERT, UPDATE and DELETE with their constraints, `ddl` creates
/// and alters tables, `copy` reads and writes rows as text, `setting` keeps what SET sets.
///
/// Glossary: *tuple*, the values that one operator hands to the next. *Plan node*, one operator.
/// *Access path*, how a table's rows are reached: by key, by an index, or by a scan.
@NullMarked
package org.namdb.sql.engine;

import org.jspecify.annotations.NullMarked;
