/// A database behind a server, which the shell reaches by PostgreSQL's protocol.
@NullMarked
package org.namdb.sql.shell.remote;

import org.jspecify.annotations.NullMarked;
