/// Tests of the parser: tables of SQL with what becomes of it, and random trees and texts.
@NullMarked
package org.namdb.sql.language.parser;

import org.jspecify.annotations.NullMarked;
