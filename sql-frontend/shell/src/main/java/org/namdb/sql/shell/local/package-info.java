/// A database in the shell's own process. Only this package of the shell knows the engine; the rest
/// speaks to [org.namdb.sql.shell.ShellDatabase], so that a database elsewhere can stand behind it.
@NullMarked
package org.namdb.sql.shell.local;

import org.jspecify.annotations.NullMarked;
