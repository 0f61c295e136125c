/// Anomalies of transactions by name, after the Hermitage tests: which may happen under snapshot
/// isolation, and which may not.
///
/// A *scenario* is a list of steps of two or three *sessions*, played one after the other on one
/// thread. A *loser* is a session that has to fail, because another one has changed what it wants
/// to change and commits first.
@NullMarked
package org.namdb.sql.engine.isolation;

import org.jspecify.annotations.NullMarked;
