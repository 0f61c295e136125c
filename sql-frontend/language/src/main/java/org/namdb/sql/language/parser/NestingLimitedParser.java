package org.namdb.sql.language.parser;

import org.antlr.v4.runtime.Parser;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.TokenStream;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// What the generated parser extends: it counts how deep expressions, queries and sources stand in
/// each other, and refuses a statement before it takes the thread's stack. What comes after the
/// parser is recursive too and relies on that limit.
abstract class NestingLimitedParser extends Parser {
    /// How deep expressions, queries and sources of FROM may stand in each other.
    static final int MAX_NESTING = 500;

    private int nesting;

    NestingLimitedParser(TokenStream input) {
        super(input);
    }

    @Override
    public void reset() {
        super.reset();
        nesting = 0;
    }

    @Override
    public void enterRule(ParserRuleContext context, int state, int ruleIndex) {
        super.enterRule(context, state, ruleIndex);
        if (nests(ruleIndex)) {
            deeper();
        }
    }

    @Override
    public void exitRule() {
        if (nests(getContext().getRuleIndex())) {
            nesting--;
        }
        super.exitRule();
    }

    @Override
    public void enterRecursionRule(
            ParserRuleContext context, int state, int ruleIndex, int precedence) {
        super.enterRecursionRule(context, state, ruleIndex, precedence);
        deeper();
    }

    @Override
    public void unrollRecursionContexts(ParserRuleContext parent) {
        nesting--;
        super.unrollRecursionContexts(parent);
    }

    private void deeper() {
        nesting++;
        if (nesting > MAX_NESTING) {
            throw tooComplex(((SqlToken) getCurrentToken()));
        }
    }

    private static SqlException tooComplex(SqlToken token) {
        return new SqlException(
                        SqlState.STATEMENT_TOO_COMPLEX,
                        "statement too complex: more than " + MAX_NESTING + " levels of nesting",
                        token.position())
                .withHint("Split it, or put long lists into a table.");
    }

    private static boolean nests(int ruleIndex) {
        return ruleIndex == SqlGrammar.RULE_queryInParentheses
                || ruleIndex == SqlGrammar.RULE_source;
    }
}
