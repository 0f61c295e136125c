/// Admission control: which sessions run, and which wait for a processor.
///
/// Glossary: *permit*, the right to run a procedure or a statement now; there are as many as
/// processors. *Slice*, how long a session keeps its permit from one transaction to the next while
/// others wait.
@NullMarked
package org.namdb.compute.admission;

import org.jspecify.annotations.NullMarked;
