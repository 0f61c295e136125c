package org.namdb.sql.language.parser;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// SQL and the same as it is written canonically.
class StatementTableTest {
    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            textBlock =
                    """
                    select 1;; ; select 2 => SELECT 1; SELECT 2
                    select all a from t x => SELECT a FROM t AS x
                    select distinct a b, c as "C d", t.*, * from t => SELECT DISTINCT a AS b, c AS "C d", t.*, * FROM t
                    select a from public.t where public.t.a = 1 => SELECT a FROM t WHERE t.a = 1
                    discard all => DISCARD ALL
                    discard temp => DISCARD TEMP
                    create temp table t (a int) => CREATE TEMPORARY TABLE t (a int)
                    create local temporary table if not exists t (a int) with (versions = 2) on commit drop => CREATE TEMPORARY TABLE IF NOT EXISTS t (a int) WITH (versions = '2') ON COMMIT DROP
                    create global temp table t (a int) on commit preserve rows => CREATE TEMPORARY TABLE t (a int)
                    create temp table t on commit delete rows as select 1 => CREATE TEMPORARY TABLE t ON COMMIT DELETE ROWS AS SELECT 1
                    backup to '/b/it''s' => BACKUP TO '/b/it''s'
                    select * from information_schema.tables => SELECT * FROM "information_schema.tables"
                    select * from a, b as x (c, d), (select 1) y => SELECT * FROM a, b AS x (c, d), (SELECT 1) AS y
                    select * from f(1) with ordinality as t (a, n), g() => SELECT * FROM f(1) WITH ORDINALITY AS t (a, n), g()
                    select * from a join b on x left outer join c using (y, z) => SELECT * FROM a JOIN b ON x LEFT JOIN c USING (y, z)
                    select * from a join b join c on x on y => SELECT * FROM a JOIN (b JOIN c ON x) ON y
                    select * from a natural full join b cross join (c right join d on x) => SELECT * FROM a NATURAL FULL JOIN b CROSS JOIN (c RIGHT JOIN d ON x)
                    select a from t group by a, b having count(*) > 1 => SELECT a FROM t GROUP BY a, b HAVING count(*) > 1
                    select a from t order by a asc, b desc nulls last offset 2 rows fetch first row only => SELECT a FROM t ORDER BY a, b DESC NULLS LAST LIMIT 1 OFFSET 2
                    select a from t for update limit all => SELECT a FROM t FOR UPDATE
                    select 1 union select 2 intersect all select 3 except select 4 => SELECT 1 UNION SELECT 2 INTERSECT ALL SELECT 3 EXCEPT SELECT 4
                    (select 1 union select 2) intersect select 3 => (SELECT 1 UNION SELECT 2) INTERSECT SELECT 3
                    select 1 union (select 2 union all select 3) => SELECT 1 UNION (SELECT 2 UNION ALL SELECT 3)
                    ((select 1 limit 2)) order by 1 => SELECT 1 ORDER BY 1 LIMIT 2
                    with x (a) as (select 1), y as materialized (select a from x) select * from x, y as z (b) => SELECT * FROM (SELECT 1) AS x (a), (SELECT a FROM (SELECT 1) AS x (a)) AS z (b)
                    with x as (select 1) update t set a = 2 from x => UPDATE t SET a = 2 FROM (SELECT 1) AS x
                    values (1, 'a'), ((select 2), null) => VALUES (1, 'a'), ((SELECT 2), NULL)
                    """)
    void queries(String sql, String canonical) {
        check(sql, canonical);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            textBlock =
                    """
                    insert into t values (1, default) => INSERT INTO t VALUES (1, DEFAULT)
                    insert into t as x (a, b) select 1, 2 returning a, b as c => INSERT INTO t AS x (a, b) SELECT 1, 2 RETURNING a, b AS c
                    insert into t default values => INSERT INTO t DEFAULT VALUES
                    insert into t (select 1) => INSERT INTO t SELECT 1
                    insert into t values ((select 1)), ((select 2)) => INSERT INTO t VALUES ((SELECT 1)), ((SELECT 2))
                    insert into t values (?, ?) on conflict do nothing => INSERT INTO t VALUES ($1, $2) ON CONFLICT DO NOTHING
                    insert into t values (1) on conflict (a, b) do update set (a, b) = (1, excluded.b) where t.a = 2 => INSERT INTO t VALUES (1) ON CONFLICT (a, b) DO UPDATE SET a = 1, b = excluded.b WHERE t.a = 2
                    insert into t values (1) on conflict on constraint c do nothing => INSERT INTO t VALUES (1) ON CONFLICT ON CONSTRAINT c DO NOTHING
                    update t set a = a + 1, (b) = row(2) => UPDATE t SET a = a + 1, b = 2
                    update t x set a = default from u join v on w where x.a = u.a returning * => UPDATE t AS x SET a = DEFAULT FROM u JOIN v ON w WHERE x.a = u.a RETURNING *
                    delete from t as x using u, v where x.a = $2 => DELETE FROM t AS x USING u, v WHERE x.a = $2
                    copy t (a, b) from 'f' with (format CSV, header, delimiter ';') => COPY t (a, b) FROM 'f' WITH (delimiter ';', format 'csv', header 'true')
                    copy (select 1) to stdout csv header null as 'x' => COPY (SELECT 1) TO STDOUT WITH (format 'csv', header 'true', null 'x')
                    """)
    void changesOfRows(String sql, String canonical) {
        check(sql, canonical);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            textBlock =
                    """
                    create table t () => CREATE TABLE t ()
                    create table if not exists t (a int primary key, b varchar(8 bytes) not null default 'x' unique) with (versions = 2, inline) => CREATE TABLE IF NOT EXISTS t (a int PRIMARY KEY, b varchar(8 BYTES) NOT NULL DEFAULT 'x' UNIQUE) WITH (inline = 'true', versions = '2')
                    create table t (a double precision null check  (a  > 0), constraint c unique (a, b)) => CREATE TABLE t (a double precision CHECK (a  > 0), CONSTRAINT c UNIQUE (a, b))
                    create table t (a int references u on delete set null, foreign key (a) references u (b) on update cascade) => CREATE TABLE t (a int REFERENCES u ON DELETE SET NULL, FOREIGN KEY (a) REFERENCES u (b) ON UPDATE CASCADE)
                    create table t (date date, text text, type int, value timestamp(3) without time zone, key time, position uuid, name character varying (9)) => CREATE TABLE t (date date, text text, type int, value timestamp(3), key time, "position" uuid, name character varying(9))
                    create table t (a timestamp with time zone default timestamp with time zone '2026-01-01', b timestamptz(6), c timestamp (6) with time zone) => CREATE TABLE t (a timestamptz DEFAULT timestamptz '2026-01-01', b timestamptz(6), c timestamptz(6))
                    create unique index if not exists i on t using hash (a asc, b) => CREATE UNIQUE INDEX IF NOT EXISTS i ON t USING hash (a, b)
                    create table if not exists t (a) with (cached) as select 1, 2 with no data => CREATE TABLE IF NOT EXISTS t (a) WITH (cached = 'true') AS SELECT 1, 2 WITH NO DATA
                    create index on t (a) => CREATE INDEX ON t (a)
                    drop table if exists a, b cascade => DROP TABLE IF EXISTS a, b CASCADE
                    drop index i restrict => DROP INDEX i
                    alter table t alter a set data type varchar(9) using lower(b), alter column c type int => ALTER TABLE t ALTER COLUMN a TYPE varchar(9) USING lower(b), ALTER COLUMN c TYPE int
                    comment on column public.t.a is 'it''s' => COMMENT ON COLUMN t.a IS 'it''s'
                    comment on function f(int, text) is null => COMMENT ON FUNCTION f IS NULL
                    comment on constraint c on t is '' => COMMENT ON CONSTRAINT c ON t IS ''
                    alter table t add a int, add column if not exists b int, drop c cascade, add check (a > 1) => ALTER TABLE t ADD COLUMN a int, ADD COLUMN IF NOT EXISTS b int, DROP COLUMN c CASCADE, ADD CHECK (a > 1)
                    alter table if exists t drop constraint if exists c, alter a set default 1, alter column a drop default, alter a set not null, alter a drop not null => ALTER TABLE IF EXISTS t DROP CONSTRAINT IF EXISTS c, ALTER COLUMN a SET DEFAULT 1, ALTER COLUMN a DROP DEFAULT, ALTER COLUMN a SET NOT NULL, ALTER COLUMN a DROP NOT NULL
                    alter table t rename a to b => ALTER TABLE t RENAME COLUMN a TO b
                    alter table t rename to u => ALTER TABLE t RENAME TO u
                    truncate a, b cascade => TRUNCATE TABLE a, b CASCADE
                    alter table t owner to ada => ALTER TABLE t OWNER TO ada
                    alter table t set (cached = true, a), set (b = 1) => ALTER TABLE t SET (a = 'true', cached = 'true'), SET (b = '1')
                    create user ada with password 'x' valid until '2030-01-01' nosuperuser => CREATE USER ada PASSWORD 'x' VALID UNTIL '2030-01-01' NOSUPERUSER
                    create role "role" login encrypted password 'y'; create user role => CREATE ROLE role LOGIN PASSWORD 'y'; CREATE USER role
                    alter user current_user password null => ALTER ROLE "current_user" PASSWORD NULL
                    drop user if exists ada, bob; drop role owner => DROP ROLE IF EXISTS ada, bob; DROP ROLE owner
                    grant select, insert on public.t, u to ada, public, current_user => GRANT SELECT, INSERT ON TABLE t, u TO ada, public, "current_user"
                    grant all privileges on table t to group ada; grant all on t to ada => GRANT ALL ON TABLE t TO ada; GRANT ALL ON TABLE t TO ada
                    grant execute on procedure p(int, text), q to ada => GRANT EXECUTE ON PROCEDURE p, q TO ada
                    grant usage, create on schema public to ada; grant usage on language java to ada => GRANT USAGE, CREATE ON SCHEMA public TO ada; GRANT USAGE ON LANGUAGE java TO ada
                    revoke update on all tables in schema public from ada cascade => REVOKE UPDATE ON ALL TABLES IN SCHEMA public FROM ada
                    grant reader, writer to ada; revoke reader from ada => GRANT reader, writer TO ada; REVOKE reader FROM ada
                    """)
    void definitions(String sql, String canonical) {
        check(sql, canonical);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            textBlock =
                    """
                    begin work; start transaction isolation level repeatable read, read only => BEGIN; START TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY
                    set transaction read write; commit; end transaction; rollback; abort work => SET TRANSACTION READ WRITE; COMMIT; COMMIT; ROLLBACK; ROLLBACK
                    savepoint a; rollback to a; rollback work to savepoint a; release a => SAVEPOINT a; ROLLBACK TO SAVEPOINT a; ROLLBACK TO SAVEPOINT a; RELEASE SAVEPOINT a
                    set a = 1; set local a.b to on; set session c to 'x', y; reset a; reset all => SET a TO '1'; SET LOCAL "a.b" TO 'on'; SET c TO 'x, y'; RESET a; RESET "all"
                    set time zone 'UTC'; set time zone local; set names 'utf8'; set x to -1.5 => SET timezone TO 'UTC'; SET timezone TO DEFAULT; SET client_encoding TO 'utf8'; SET x TO '-1.5'
                    set session characteristics as transaction isolation level serializable => SET default_transaction_isolation TO 'serializable'
                    set role ada; set local role to 'x'; reset role; set session authorization default => SET "role" TO 'ada'; SET LOCAL "role" TO 'x'; RESET "role"; SET session_authorization TO DEFAULT
                    reset session authorization; set role none => RESET session_authorization; SET "role" TO 'none'
                    show a; show all; show time zone; show transaction isolation level => SHOW a; SHOW "all"; SHOW timezone; SHOW transaction_isolation
                    prepare p (int, text) as select $1, $2; execute p (1, 'a'); deallocate prepare p; deallocate all => PREPARE p (int, text) AS SELECT $1, $2; EXECUTE p (1, 'a'); DEALLOCATE PREPARE p; DEALLOCATE ALL
                    analyze; analyze verbose t (a, b), u; analyze (verbose off, skip_locked) t => ANALYZE; ANALYZE VERBOSE t (a, b), u; ANALYZE t
                    vacuum; vacuum full freeze verbose analyze t (a); vacuum (analyze, full on, parallel 2) t => VACUUM; VACUUM VERBOSE ANALYZE t (a); VACUUM ANALYZE t
                    explain select 1; explain analyze verbs delete from t; explain (analyze off, verbs, costs off) execute p => EXPLAIN SELECT 1; EXPLAIN ANALYZE VERBS DELETE FROM t; EXPLAIN VERBS EXECUTE p
                    explain (select 1) => EXPLAIN SELECT 1
                    """)
    void sessions(String sql, String canonical) {
        check(sql, canonical);
    }

    private static void check(String sql, String canonical) {
        assertThat(Trees.read(sql)).isEqualTo(canonical);
        assertThat(Trees.read(canonical)).isEqualTo(canonical);
    }
}
