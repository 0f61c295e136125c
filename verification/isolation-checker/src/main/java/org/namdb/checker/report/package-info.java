/// What a verdict looks like to the person who reads it in a terminal.
///
/// Glossary: *paragraph*, text that is broken into lines of a width at blanks.
@NullMarked
package org.namdb.checker.report;

import org.jspecify.annotations.NullMarked;
