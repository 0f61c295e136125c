/// What a person or a program sees of a run: progress and a line a second while it lasts, tables at
/// the end, and result files: JSON, CSV, and a page of HTML with plots that needs nothing
/// but itself.
@NullMarked
package org.namdb.workload.report;

import org.jspecify.annotations.NullMarked;
