/// Golden files: statements of PostgreSQL's dialect with what PostgreSQL 15 answers to them, and
/// what plays them on a database.
///
/// A *subject* is a file `golden/<subject>.sql` with its answers in `<subject>.out`. A *target* is
/// a database that statements are played on. Files and format are described in `golden/README.md`
/// among the test resources.
@NullMarked
package org.namdb.sql.engine.golden;

import org.jspecify.annotations.NullMarked;
