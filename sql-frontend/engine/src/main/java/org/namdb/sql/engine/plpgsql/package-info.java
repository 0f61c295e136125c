/// PL/pgSQL: a routine's body becomes a tree of steps with slots for its variables, once for each
/// definition; its statements of SQL are planned when they are run first, with the slots as
/// parameters, and expressions are evaluated without a statement.
///
/// Glossary: *routine*, a function or procedure; *program*, its tree of steps, which all sessions
/// share; *activation*, one call of it; *slot*, where an activation keeps a variable's value.
///
/// Source: PostgreSQL 15, chapter 43 and `src/pl/plpgsql`.
@NullMarked
package org.namdb.sql.engine.plpgsql;

import org.jspecify.annotations.NullMarked;
