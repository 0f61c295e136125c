/// Random queries that two databases have to answer alike.
///
/// A seed makes a schema with rows and any number of queries over it. The *reference* is the
/// database that is believed; a *difference* is a query that the other one answers otherwise. It is
/// made smaller, by dropping clauses, before it is shown.
@NullMarked
package org.namdb.sql.engine.random;

import org.jspecify.annotations.NullMarked;
