/// The catalog's byte format: what a table or an index is, and where it lies, as an entry that any
/// compute server can read.
///
/// Glossary: *entry*, the bytes that memory servers keep for a table or an index under its name;
/// *filled*, of an index: it has an entry for every row.
@NullMarked
package org.namdb.mvcc.catalog;

import org.jspecify.annotations.NullMarked;
