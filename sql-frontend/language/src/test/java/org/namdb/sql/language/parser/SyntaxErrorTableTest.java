package org.namdb.sql.language.parser;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// SQL that is wrong, with the line and column, the SQLSTATE, the message, and the hint.
class SyntaxErrorTableTest {
    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            textBlock =
                    """
                    select * FORM t => 1:10 42601 syntax error at or near "FORM" | Did you mean FROM?
                    select a form t => 1:15 42601 syntax error at or near "t" | Did you mean FROM?
                    selct 1 => 1:1 42601 syntax error at or near "selct" | Did you mean SELECT?
                    select 1; updte t => 1:11 42601 syntax error at or near "updte" | Did you mean UPDATE?
                    select (1 + 2 => 1:14 42601 syntax error at end of input | The parenthesis at line 1, column 8 is not closed.
                    insert into t (a, b values (1) => 1:21 42601 syntax error at or near "values" | The parenthesis at line 1, column 15 is not closed.
                    select 1) => 1:9 42601 syntax error at or near ")" | No parenthesis is open here.
                    select 1 from t where => 1:22 42601 syntax error at end of input
                    select 1, ; select 2 => 1:11 42601 syntax error at or near ";"
                    create table t (a int b int) => 1:23 42601 syntax error at or near "b" | A comma or an operator may be missing before it.
                    insert into t values (1 2) => 1:25 42601 syntax error at or near "2" | A comma or an operator may be missing before it.
                    create table user (a int) => 1:14 42601 syntax error at or near "user" | "user" is a reserved word: as a name it stands in double quotes.
                    select 'abc => 1:8 42601 unterminated quoted string at or near "'abc" | The string starts at line 1, column 8 and ends with '.
                    select "abc => 1:8 42601 unterminated quoted identifier at or near ""abc" | The name starts at line 1, column 8 and ends with ".
                    select $x$ab$$ => 1:8 42601 unterminated dollar-quoted string at or near "$x$ab$$" | The string starts at line 1, column 8 and ends with the same tag between dollar signs.
                    select 1 /* /* */ => 1:10 42601 unterminated /* comment at or near "/* /* */" | The comment starts at line 1, column 10 and ends with */.
                    select "" => 1:8 42601 zero-length delimited identifier at or near \"\"\"\"
                    select 12ab => 1:8 42601 trailing junk after numeric literal at or near "12a"
                    select $1a => 1:8 42601 trailing junk after parameter at or near "$1a"
                    select ?, $1 => 1:11 42601 parameters ? and $n can't be mixed in one statement
                    select $0 => 1:8 42P02 there is no parameter $0
                    select $65536 => 1:8 42P02 there is no parameter $65536
                    select a < b < c => 1:14 42601 syntax error at or near "<"
                    select a like b like c => 1:17 42601 syntax error at or near "like"
                    select a.b.c.d => 1:8 42601 improper qualified name (too many dotted names): a.b.c.d
                    (select 1 limit 1) limit 2 => 1:20 42601 multiple LIMIT clauses not allowed
                    (select 1 order by 1) order by 2 => 1:23 42601 multiple ORDER BY clauses not allowed
                    select E'\\uZZ' => 1:8 22025 invalid Unicode escape | Unicode escapes must be \\uXXXX or \\UXXXXXXXX.
                    select E'\\xff' => 1:8 22021 a string can't hold the character that its escape stands for
                    update t set (a, b) = (1) => 1:24 0A000 source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression
                    update t set (a, b) = (1, 2, 3) => 1:23 42601 number of columns does not match number of values
                    create table t (a int null not null) => 1:23 42601 conflicting NULL/NOT NULL declarations for column "a" of table "t"
                    create table t (a int default 1 default 2) => 1:33 42601 multiple default values specified for column "a" of table "t"
                    copy t from stdin with (colour red) => 1:25 42601 option "colour" not recognized
                    explain (colours) select 1 => 1:10 42601 unrecognized EXPLAIN option "colours"
                    insert into t values (1) on conflict do update set a = 1 => 1:26 42601 ON CONFLICT DO UPDATE requires inference specification or constraint name | For example, ON CONFLICT (column_name).
                    """)
    void errorsSayWhatAndWhere(String sql, String error) {
        assertThat(Trees.read(sql)).isEqualTo(error);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            textBlock =
"""
                    select * from (with x as (delete from t) select * from x) as y => 1:21 0A000 WITH clause containing a data-modifying statement must be at the top level
                    select array[[1]] => 1:14 0A000 arrays of several dimensions are not supported
                    select a ->> 'x' => 1:10 0A000 operators of JSON are not supported
                    select a @@ 1 => 1:10 0A000 operator @@ is not supported
                    select '{}'::json => 1:14 0A000 type json is not supported
                    select a at time 'UTC' => 1:18 42601 syntax error at or near "'UTC'"
                    create materialized view v as select 1 => 1:8 0A000 CREATE MATERIALIZED VIEW is not supported
                    create or drop view v as select 1 => 1:11 42601 syntax error at or near "drop"
                    create or replace function f () => 1:1 42P13 no function body specified
                    create temporary view v as select 1 => 1:8 0A000 CREATE TEMPORARY VIEW is not supported
                    create odd table t (a int) => 1:8 42601 syntax error at or near "odd"
                    create table t (a int) on commit drop => 1:24 42P16 ON COMMIT can only be used on temporary tables
                    create temp table t (a int) on commit keep rows => 1:39 42601 syntax error at or near "keep"
                    alter index i set (fillfactor = 5) => 1:15 0A000 ALTER INDEX SET is not supported
                    create table t (a time with time zone) => 1:19 0A000 type time with time zone is not supported
                    create index on t (lower(a)) => 1:25 0A000 indexes on expressions are not supported
                    create index on t (a desc) => 1:22 0A000 descending indexes are not supported
                    create index on t (a) where a > 1 => 1:23 0A000 partial indexes are not supported
                    alter table t alter a set datum type int => 1:27 42601 syntax error at or near "datum"
                    drop schema s => 1:6 0A000 DROP SCHEMA is not supported
                    grant select (a) on t to u => 1:14 0A000 privileges on columns are not supported
                    grant select on t to u with grant option => 1:24 0A000 WITH GRANT OPTION and WITH ADMIN OPTION are not supported
                    grant usage on domain d to u => 1:16 0A000 privileges on a domain are not supported
                    create user u connection limit 3 => 1:15 0A000 the option "connection limit" of a role is not supported
                    alter role u rename to v => 1:14 0A000 renaming a role is not supported
                    prepare transaction 'x' => 1:9 0A000 two-phase commit is not supported
""")
    void whatOnlyPostgresHasIsNamed(String sql, String error) {
        assertThat(Trees.read(sql)).isEqualTo(error);
    }

    @Test
    void placesCountLinesAndCharacters() {
        assertThat(Trees.read("select 1,\n  '😀' oops x\n")).startsWith("2:12 42601");
        assertThat(Trees.read("select 1;\r\n\r\nselect )")).startsWith("3:8 42601");
    }
}
