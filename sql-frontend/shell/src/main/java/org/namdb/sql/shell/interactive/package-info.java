/// The shell in a terminal: line editing, history, completion, colours. Only this package needs
/// JLine's terminals.
@NullMarked
package org.namdb.sql.shell.interactive;

import org.jspecify.annotations.NullMarked;
