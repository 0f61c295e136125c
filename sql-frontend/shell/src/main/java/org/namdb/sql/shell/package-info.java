/// The interactive shell: `nam sql`.
///
/// It knows a database only as a [ShellDatabase][org.namdb.sql.shell.ShellDatabase], so that
/// another way to reach one needs another class and no other change. A
/// [LineSource][org.namdb.sql.shell.LineSource] gives lines, of a terminal, a file or a pipe; a
/// statement buffer cuts them into statements and meta commands; the shell performs these. What
/// needs a terminal is in `interactive`, and is not even loaded without one.
///
/// Glossary: *meta command*, a line that begins with a backslash, for the shell itself. *Screen*,
/// where the output goes.
@NullMarked
package org.namdb.sql.shell;

import org.jspecify.annotations.NullMarked;
