package org.namdb.sql.language.parser;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Position;

/// Expressions that must be the same tree as others, with all their parentheses.
class ExpressionTableTest {
    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            textBlock =
                    """
                    a or b and c or d => (a or (b and c)) or d
                    not a and not b => (not a) and (not b)
                    not a = b => not (a = b)
                    not a is null => not (a is null)
                    a = b is null => (a = b) is null
                    a < b + c * d ^ e => a < (b + (c * (d ^ e)))
                    a - b - c + d => ((a - b) - c) + d
                    a / b % c * d => ((a / b) % c) * d
                    a ^ b ^ c => (a ^ b) ^ c
                    -a ^ b => (-a) ^ b
                    -a::int => -(cast(a as int))
                    - - a => -(-a)
                    a || b + c || d => (a || (b + c)) || d
                    a + b || c = d || e => ((a + b) || c) = (d || e)
                    a between b and c and d between e and f or g => ((a between b and c) and (d between e and f)) or g
                    a between case when x and y between 1 and 2 then 1 end and (b and c) => a between (case when (x and (y between 1 and 2)) then 1 end) and (b and c)
                    a not between b + 1 and c * 2 => a not between (b + 1) and (c * 2)
                    a like b || c escape d || e => a like (b || c) escape (d || e)
                    a not ilike b and c => (a not ilike b) and c
                    a ~~ b || c = d => ((a like b) || c) = d
                    a || b !~~* c => (a || b) not ilike c
                    a operator(pg_catalog.!~~) b => a not like b
                    a ~~* any (array[b]) => a ilike any (array[b])
                    a || b !~~ all (select c) and d => ((a || b) not like all (select c)) and d
                    a | b & c # d => ((a | b) & c) # d
                    ~ a | - ~ b + c => (~ a) | (-(~ (b + c)))
                    not ~ a = b => not ((~ a) = b)
                    a in (1, b + 2) = c => (a in (1, (b + 2))) = c
                    a != b => a <> b
                    a isnull and b notnull => (a is null) and (b is not null)
                    a is not distinct from b + 1 => a is not distinct from (b + 1)
                    a is not true or b is unknown => (a is not true) or (b is unknown)
                    a = any (select 1) => a in (select 1)
                    a <> all (select 1) => a not in (select 1)
                    a::varchar(3)::text => cast(cast(a as varchar(3)) as text)
                    ((((a)))) => a
                    """)
    void operatorsBindAsInPostgres(String sql, String explicit) {
        same(sql, explicit);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            textBlock =
                    """
                    substring(a from 2 for 3) => "substring"(a, 2, 3)
                    substring(a for 3) => substring(a, 1, 3)
                    position('x' in a || b) => "position"(a || b, 'x')
                    trim(a) => btrim(a)
                    trim(both 'x' from a) => btrim(a, 'x')
                    trim(leading from a) => ltrim(a)
                    trim(trailing 'x' from a) => rtrim(a, 'x')
                    overlay(a placing b from 1 for 2) => "overlay"(a, b, 1, 2)
                    extract('YEAR' from a) => extract(year from a)
                    interval '1' day => interval '1 day'
                    current_date => "current_date"()
                    pg_catalog.lower(a) => lower(a)
                    'a' 'b' => x
                    """)
    void callsWithASyntaxOfTheirOwnAreCalls(String sql, String plain) {
        if (plain.equals("x")) {
            // On one line these are two strings.
            assertThat(Trees.read("select " + sql)).startsWith("1:12 42601 syntax error");
        } else {
            same(sql, plain);
        }
    }

    @Test
    void stringsAreReadInAllTheirForms() {
        assertThat(string("'it''s'")).isEqualTo("it's");
        assertThat(string("'a\\n'")).isEqualTo("a\\n");
        assertThat(string("'a'  \n 'b'\n'''c'")).isEqualTo("ab'c");
        assertThat(string("E'a\\n\\t\\\\\\'\\x41\\101\\u00e9\\U0001F600'''"))
                .isEqualTo("a\n\t\\'AAé😀'");
        assertThat(string("$$a'b$c$$")).isEqualTo("a'b$c");
        assertThat(string("$x$ $$ $y$ $x$")).isEqualTo(" $$ $y$ ");
    }

    private static String string(String sql) {
        return ((Expression.Literal) SqlParser.parseExpression(sql)).text();
    }

    @Test
    void numbersHaveTheirKinds() {
        assertThat(Trees.shape(SqlParser.parseExpression("(1, 1.5, .5, 1., 1e5, 1.5E-3)")))
                .isEqualTo(
                        "Row[values=[Literal[kind=INTEGER, text=1], Literal[kind=DECIMAL, text=1.5], Literal[kind=DECIMAL,"
                                + " text=.5], Literal[kind=DECIMAL, text=1.], Literal[kind=FLOAT, text=1e5], Literal[kind=FLOAT,"
                                + " text=1.5E-3]]]");
    }

    @Test
    void namesAreFoldedUnlessQuoted() {
        assertThat(SqlWriter.write(SqlParser.parseExpression("Foo.\"Bar\" + ÄB + \"a\"\"b\"")))
                .isEqualTo("foo.\"Bar\" + Äb + \"a\"\"b\"");
    }

    @Test
    void operatorsStandWhereTheyAreWritten() {
        assertThat(SqlParser.parseExpression("a /* b */ + c").position())
                .isEqualTo(new Position(10, 1));
        assertThat(SqlParser.parseExpression(" foo(a, b)").position())
                .isEqualTo(new Position(1, 9));
    }

    private static void same(String sql, String other) {
        Expression read = SqlParser.parseExpression(sql);
        assertThat(Trees.shape(read)).isEqualTo(Trees.shape(SqlParser.parseExpression(other)));
        assertThat(Trees.shape(SqlParser.parseExpression(SqlWriter.write(read))))
                .isEqualTo(Trees.shape(read));
    }
}
