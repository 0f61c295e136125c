/// Stored procedures: what a program writes, and the catalog of those that there are.
///
/// Glossary: *procedure*, Java code that is called by name and runs as a transaction; *version*,
/// one implementation of it, which calls that have begun keep; *jar*, what a client submits: the
/// code of procedures, with a class loader for each version.
@NullMarked
package org.namdb.sql.engine.procedure;

import org.jspecify.annotations.NullMarked;
