/// A server for PostgreSQL's clients: version 3 of its wire protocol, over the SQL engine. A
/// connection has a virtual thread, a SQL session, prepared statements and portals.
///
/// Source: PostgreSQL 15, chapters 55.2 (message flow) and 55.7 (message formats).
@NullMarked
package org.namdb.sql.server;

import org.jspecify.annotations.NullMarked;
