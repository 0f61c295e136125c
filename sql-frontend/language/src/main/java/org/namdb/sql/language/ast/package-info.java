/// Statements as the parser reads them: immutable records, each with its place in the text. Names
/// are not yet looked up, types not yet checked.
@NullMarked
package org.namdb.sql.language.ast;

import org.jspecify.annotations.NullMarked;
