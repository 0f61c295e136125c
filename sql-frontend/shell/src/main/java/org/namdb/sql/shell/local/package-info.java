/// A database in the shell's own process. Only this package of the shell depends on the engine; the
/// others use [org.namdb.sql.shell.ShellDatabase], so that a database elsewhere can be behind it.
@NullMarked
package org.namdb.sql.shell.local;

import org.jspecify.annotations.NullMarked;
