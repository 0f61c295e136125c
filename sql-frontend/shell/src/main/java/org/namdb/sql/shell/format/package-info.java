/// How the shell shows rows: aligned tables for people, CSV, JSON and Markdown for programs and
/// documents.
///
/// Glossary: *cell*, one value as text. *Sample*, the first rows of a result; they fix the widths
/// of an aligned table, the others are shown as they are read.
@NullMarked
package org.namdb.sql.shell.format;

import org.jspecify.annotations.NullMarked;
