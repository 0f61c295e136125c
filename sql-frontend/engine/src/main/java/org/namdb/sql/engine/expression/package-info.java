/// Expressions over values, ready to be evaluated: [Scalar] is one, an [EvaluationFrame] what it is
/// evaluated in. Here are its leaves (constants, columns, parameters) and what is common to all
/// others; those are in the packages below, each of which uses only the ones before it:
///
/// - `number`, `text`: what numbers and texts can do
/// - `condition`: comparisons, logic, choices
/// - `cast`: from one type to another
/// - `operator`, `function`, `aggregate`: which of them is meant, by name and by the types of
///   operands
///
/// Glossary: *fold*, to put a constant in place of an expression that is one. *Volatility*, whether
/// an expression gives the same for the same operands.
@NullMarked
package org.namdb.sql.engine.expression;

import org.jspecify.annotations.NullMarked;
