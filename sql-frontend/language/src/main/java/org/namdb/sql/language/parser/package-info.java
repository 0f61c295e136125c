/// Reads SQL: the grammar, and what makes trees of `ast` out of its parses; and writes such trees
/// as SQL.
///
/// The steps of parsing: [org.namdb.sql.language.parser.SqlScanner] cuts it into lexemes,
/// [org.namdb.sql.language.parser.TokenReader] makes them the tokens of one statement,
/// [org.namdb.sql.language.parser.Bracketing] marks what belongs together, the grammar makes a
/// parse, and the builders make the tree. [org.namdb.sql.language.parser.StatementSplitter] finds
/// the ends of statements, in a script or in what is typed, by the same lexemes.
///
/// Glossary: *lexeme*, a word, sign, literal or comment. *Token*, a lexeme with the type that the
/// grammar gives it. *Parse*, what ANTLR makes of the tokens. *Primary*, what stands between
/// operators.
@NullMarked
package org.namdb.sql.language.parser;

import org.jspecify.annotations.NullMarked;
