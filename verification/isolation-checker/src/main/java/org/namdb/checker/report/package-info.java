/// A verdict's text for a terminal.
///
/// Glossary: *paragraph*, text that is wrapped into lines of a width at blanks.
@NullMarked
package org.namdb.checker.report;

import org.jspecify.annotations.NullMarked;
