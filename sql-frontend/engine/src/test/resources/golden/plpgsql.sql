-- Definitions.

CREATE TABLE account (id INT PRIMARY KEY, owner VARCHAR(20) NOT NULL, balance NUMERIC(12, 2) CHECK (balance >= 0));

INSERT INTO account VALUES (1, 'Ada', 100), (2, 'Grace', 50), (3, 'Barbara', 10);

CREATE FUNCTION increment(i integer) RETURNS integer AS $$
BEGIN
    RETURN i + 1;
END;
$$ LANGUAGE plpgsql;

SELECT increment(41);

SELECT increment(41) AS answer;

SELECT increment(increment(1)) + increment(2) AS sum;

SELECT id, increment(id) FROM account WHERE increment(id) > 2 ORDER BY increment(id) DESC;

SELECT * FROM increment(1);

SELECT * FROM increment(1) AS n;

SELECT increment(NULL);

SELECT increment('41');

SELECT increment('x');

SELECT increment(1.5);

SELECT increment();

SELECT increment(1, 2);

CREATE FUNCTION increment(i integer) RETURNS integer AS $$ BEGIN RETURN i; END $$ LANGUAGE plpgsql;

CREATE OR REPLACE FUNCTION increment(i integer) RETURNS integer LANGUAGE plpgsql AS $$ BEGIN RETURN i + 100; END $$;

SELECT increment(1);

CREATE OR REPLACE FUNCTION increment(i integer) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN i; END $$;

DROP FUNCTION increment(text);

DROP FUNCTION increment(integer);

DROP FUNCTION increment(integer);

DROP FUNCTION IF EXISTS increment(integer);

DROP FUNCTION IF EXISTS increment;

SELECT increment(1);

-- Syntax.

CREATE FUNCTION f() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN RETURN 1 $$;

CREATE FUNCTION f() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN RETURN; END $$;

CREATE FUNCTION f() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN x := 1; RETURN 1; END $$;

CREATE FUNCTION f() RETURNS integer LANGUAGE plpgsql AS $$ DECLARE x nothing; BEGIN RETURN 1; END $$;

CREATE FUNCTION f() RETURNS integer LANGUAGE plpgsql AS $$ DECLARE x int; x text; BEGIN RETURN 1; END $$;

CREATE FUNCTION f() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN SELECT FROM WHERE; RETURN 1; END $$;

CREATE FUNCTION f() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN EXIT; RETURN 1; END $$;

CREATE FUNCTION f() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '%'; RETURN 1; END $$;

CREATE FUNCTION f() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN RETURN NEXT 1; END $$;

CREATE FUNCTION f() RETURNS nothing LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;

CREATE FUNCTION f() RETURNS integer LANGUAGE nothing AS $$ BEGIN RETURN 1; END $$;

CREATE FUNCTION f() LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;

CREATE FUNCTION f() RETURNS integer LANGUAGE plpgsql;

CREATE FUNCTION f(a integer, a text) RETURNS integer LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;

CREATE FUNCTION f(a integer DEFAULT 1, b text) RETURNS integer LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;

CREATE FUNCTION f() RETURNS integer LANGUAGE plpgsql IMMUTABLE STABLE AS $$ BEGIN RETURN 1; END $$;

CREATE FUNCTION f() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN BEGIN NULL; EXCEPTION WHEN no_such_thing THEN NULL; END; RETURN 1; END $$;

-- Declarations.

CREATE FUNCTION declared(a integer, b text DEFAULT 'b') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    x integer := a * 2;
    y CONSTANT numeric(10, 2) := 1.005;
    z account.balance%TYPE DEFAULT 7;
    w x%TYPE;
    row account%ROWTYPE;
    n integer NOT NULL DEFAULT 5;
    other ALIAS FOR b;
BEGIN
    w := x + 1;
    SELECT * INTO row FROM account WHERE id = 1;
    RETURN x || ' ' || y || ' ' || z || ' ' || w || ' ' || row.owner || ' ' || n || ' ' || other || ' ' || $1;
END $$;

SELECT declared(21);

SELECT declared(1, 'two');

CREATE FUNCTION constant() RETURNS integer LANGUAGE plpgsql AS $$ DECLARE c CONSTANT int := 1; BEGIN c := 2; RETURN c; END $$;

CREATE FUNCTION not_null() RETURNS integer LANGUAGE plpgsql AS $$ DECLARE c int NOT NULL := 1; BEGIN c := NULL; RETURN c; END $$;

SELECT not_null();

CREATE FUNCTION shadow() RETURNS text LANGUAGE plpgsql AS $$
<<outer_block>>
DECLARE x text := 'outer';
BEGIN
    DECLARE x text := x || ' inner';
    BEGIN
        RETURN x || ' ' || outer_block.x;
    END;
END $$;

SELECT shadow();

CREATE FUNCTION too_long() RETURNS text LANGUAGE plpgsql AS $$ DECLARE v varchar(3); BEGIN v := 'abcd'; RETURN v; END $$;

SELECT too_long();

CREATE FUNCTION rounds() RETURNS text LANGUAGE plpgsql AS $$
DECLARE i int; n numeric(5, 1); t text; b boolean;
BEGIN
    i := 2.5; n := 1.25; t := 12; b := 'yes';
    RETURN i || ' ' || n || ' ' || t || ' ' || b;
END $$;

SELECT rounds();

CREATE FUNCTION bad_number() RETURNS integer LANGUAGE plpgsql AS $$ DECLARE i int; BEGIN i := 'many'; RETURN i; END $$;

SELECT bad_number();

-- Control.

CREATE FUNCTION sign_of(i integer) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    IF i > 0 THEN
        RETURN 'positive';
    ELSIF i < 0 THEN
        RETURN 'negative';
    ELSEIF i = 0 THEN
        RETURN 'zero';
    ELSE
        RETURN 'null';
    END IF;
END $$;

SELECT sign_of(1), sign_of(-1), sign_of(0), sign_of(NULL);

CREATE FUNCTION cases(i integer) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    CASE i
        WHEN 1, 2 THEN RETURN 'few';
        WHEN 3 THEN RETURN 'three';
        ELSE NULL;
    END CASE;
    CASE WHEN i > 100 THEN RETURN 'many'; WHEN i > 50 THEN RETURN 'some'; END CASE;
    RETURN 'never';
END $$;

SELECT cases(1), cases(2), cases(3), cases(101), cases(51);

SELECT cases(10);

CREATE FUNCTION loops(n integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    s text := '';
    i integer := 0;
BEGIN
    LOOP
        i := i + 1;
        EXIT WHEN i > n;
        CONTINUE WHEN i % 2 = 0;
        s := s || i || ' ';
    END LOOP;
    WHILE i > 0 LOOP
        s := s || 'w' || i || ' ';
        i := i - 3;
    END LOOP;
    FOR k IN 1..3 LOOP
        s := s || k;
    END LOOP;
    FOR k IN REVERSE 10..1 BY 4 LOOP
        s := s || ' r' || k;
    END LOOP;
    FOR k IN 5..1 LOOP
        s := s || 'never';
    END LOOP;
    <<a>>
    FOR k IN 1..3 LOOP
        FOR l IN 1..3 LOOP
            CONTINUE a WHEN l = 2;
            EXIT a WHEN k = 3;
            s := s || ' ' || k || l;
        END LOOP;
    END LOOP a;
    <<b>>
    BEGIN
        EXIT b;
        s := s || 'never';
    END b;
    RETURN s || ' ' || found;
END $$;

SELECT loops(5);

CREATE FUNCTION bad_step() RETURNS void LANGUAGE plpgsql AS $$ BEGIN FOR i IN 1..2 BY 0 LOOP NULL; END LOOP; END $$;

SELECT bad_step();

CREATE FUNCTION null_bound() RETURNS void LANGUAGE plpgsql AS $$ BEGIN FOR i IN 1..NULL LOOP NULL; END LOOP; END $$;

SELECT null_bound();

CREATE FUNCTION no_return() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN NULL; END $$;

SELECT no_return();

CREATE FUNCTION nothing() RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; END $$;

SELECT nothing();

-- Queries.

CREATE FUNCTION total() RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    r record;
    t numeric := 0;
    i int;
    o text;
BEGIN
    FOR r IN SELECT * FROM account ORDER BY id LOOP
        t := t + r.balance * r.id;
    END LOOP;
    FOR i, o IN SELECT id, owner FROM account LOOP
        t := t + i * length(o);
    END LOOP;
    RETURN t;
END $$;

SELECT total();

CREATE FUNCTION into_variables(i integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    o text;
    b numeric;
    s text;
BEGIN
    SELECT owner, balance INTO o, b FROM account WHERE id = i;
    s := coalesce(o, 'none') || ' ' || coalesce(b, -1) || ' ' || found;
    SELECT count(*) FROM account INTO b;
    s := s || ' ' || b;
    SELECT owner INTO STRICT o FROM account WHERE id = i;
    RETURN s || ' ' || o;
END $$;

SELECT into_variables(1);

SELECT into_variables(9);

CREATE FUNCTION strict_many() RETURNS text LANGUAGE plpgsql AS $$ DECLARE o text; BEGIN SELECT owner INTO STRICT o FROM account; RETURN o; END $$;

SELECT strict_many();

CREATE FUNCTION no_destination() RETURNS void LANGUAGE plpgsql AS $$ BEGIN SELECT 1; END $$;

SELECT no_destination();

CREATE FUNCTION ambiguous(id integer) RETURNS numeric LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT balance FROM account WHERE id = 1); END $$;

SELECT ambiguous(1);

CREATE FUNCTION qualified(id integer) RETURNS numeric LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT balance FROM account WHERE account.id = qualified.id);
END $$;

SELECT qualified(2);

CREATE FUNCTION preferred(id integer) RETURNS bigint LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    RETURN (SELECT count(*) FROM account WHERE id = id);
END $$;

SELECT preferred(2);

CREATE FUNCTION not_there() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT a FROM no_such_table); END $$;

SELECT not_there();

CREATE FUNCTION unassigned() RETURNS integer LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN RETURN r.a; END $$;

SELECT unassigned();

CREATE FUNCTION no_field() RETURNS integer LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN SELECT 1 AS a INTO r; RETURN r.b; END $$;

SELECT no_field();

CREATE FUNCTION records() RETURNS text LANGUAGE plpgsql AS $$
DECLARE r record; q account%ROWTYPE; s text;
BEGIN
    SELECT 1 AS a, 'x'::text AS b INTO r;
    s := r.a || r.b;
    r.a := 7;
    s := s || r.a;
    SELECT owner, id FROM account WHERE id = 2 INTO r;
    s := s || r.owner || r.id;
    SELECT * INTO q FROM account WHERE id = 3;
    r := q;
    q.balance := 12.345;
    RETURN s || r.balance || q.balance;
END $$;

SELECT records();

-- Changes.

CREATE PROCEDURE transfer(source integer, target integer, amount numeric, OUT rest numeric) LANGUAGE plpgsql AS $$
DECLARE n integer;
BEGIN
    UPDATE account SET balance = balance + amount WHERE id = target;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n = 0 THEN
        RAISE EXCEPTION 'no account %', target USING ERRCODE = 'no_data_found', HINT = 'Look.';
    END IF;
    UPDATE account SET balance = balance - amount WHERE id = source RETURNING balance INTO rest;
    IF NOT FOUND THEN
        RAISE no_data_found USING MESSAGE = 'no account ' || source;
    END IF;
END $$;

CALL transfer(1, 2, 30, NULL);

CALL transfer(1, 2, 300, NULL);

CALL transfer(1, 9, 1, NULL);

CALL transfer(9, 1, 1, NULL);

CALL transfer(1, 2, 30);

SELECT transfer(1, 2, 30);

CALL total();

SELECT id, balance FROM account ORDER BY id;

BEGIN;

CALL transfer(1, 2, 30, NULL);

ROLLBACK;

SELECT id, balance FROM account ORDER BY id;

CREATE PROCEDURE round_trip(INOUT a integer, INOUT b text DEFAULT 'x') LANGUAGE plpgsql AS $$ BEGIN a := a * 2; b := b || b; END $$;

CALL round_trip(4, 'y');

CALL round_trip(4);

CREATE FUNCTION calls() RETURNS text LANGUAGE plpgsql AS $$
DECLARE i integer := 3; t text := 'z'; rest numeric;
BEGIN
    CALL round_trip(i, t);
    CALL transfer(2, 1, 30, rest);
    RETURN i || t || rest;
END $$;

SELECT calls();

CREATE FUNCTION changes() RETURNS text LANGUAGE plpgsql AS $$
DECLARE s text := ''; i integer; r record; n integer;
BEGIN
    INSERT INTO account VALUES (4, 'Dorothy', 4) RETURNING id INTO i;
    s := s || i;
    INSERT INTO account SELECT id + 10, owner, 0 FROM account;
    GET DIAGNOSTICS n = ROW_COUNT;
    s := s || ' ' || n || found;
    DELETE FROM account WHERE id = 14 RETURNING * INTO r;
    s := s || ' ' || r.owner;
    DELETE FROM account WHERE id > 10;
    DELETE FROM account WHERE id > 10;
    s := s || ' ' || found;
    UPDATE account SET balance = balance + 1;
    RETURN s;
END $$;

SELECT changes();

SELECT * FROM account ORDER BY id;

CREATE FUNCTION many_returned() RETURNS integer LANGUAGE plpgsql AS $$ DECLARE i integer; BEGIN UPDATE account SET balance = 0 RETURNING id INTO i; RETURN i; END $$;

SELECT many_returned();

CREATE FUNCTION looks(i integer) RETURNS integer STABLE LANGUAGE plpgsql AS $$ BEGIN DELETE FROM account WHERE id = i; RETURN 1; END $$;

SELECT looks(1);

SELECT count(*), sum(balance) FROM account;

-- Sets.

CREATE FUNCTION numbers(n integer) RETURNS SETOF integer LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..n LOOP
        RETURN NEXT i * i;
    END LOOP;
    RETURN;
END $$;

SELECT * FROM numbers(3) ORDER BY 1;

SELECT n, n + 1 AS m FROM numbers(4) AS n WHERE n > 1 ORDER BY n DESC;

SELECT account.id, n FROM account JOIN numbers(2) AS s(n) ON n = id ORDER BY id;

SELECT sum(n) FROM numbers(10) n;

SELECT count(*) FROM numbers(0);

SELECT count(*) FROM numbers(NULL);

CREATE FUNCTION rich(lowest numeric) RETURNS TABLE (who text, how_much numeric) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT a.owner::text, a.balance FROM account a WHERE a.balance >= lowest ORDER BY a.id;
    RETURN QUERY EXECUTE 'SELECT $1, 1.5' USING 'end'::text;
    who := 'last';
    how_much := NULL;
    RETURN NEXT;
END $$;

SELECT * FROM rich(60) ORDER BY who;

SELECT who FROM rich(0) WHERE how_much > 10 ORDER BY who;

SELECT count(*) FROM rich(0) a JOIN rich(60) b ON a.who = b.who;

CREATE FUNCTION of_table(lowest numeric) RETURNS SETOF account LANGUAGE plpgsql AS $$
DECLARE r account%ROWTYPE;
BEGIN
    FOR r IN SELECT * FROM account WHERE balance >= lowest ORDER BY id LOOP
        r.balance := r.balance * 2;
        RETURN NEXT r;
    END LOOP;
    RETURN QUERY SELECT * FROM account WHERE id = 3;
END $$;

SELECT * FROM of_table(60) ORDER BY id;

CREATE FUNCTION one_row(i integer) RETURNS account LANGUAGE plpgsql AS $$
DECLARE r account%ROWTYPE;
BEGIN
    SELECT * INTO r FROM account WHERE id = i;
    RETURN r;
END $$;

SELECT * FROM one_row(2);

SELECT one_row(2);

CREATE FUNCTION outs(IN a integer, OUT b integer, OUT c text) LANGUAGE plpgsql AS $$ BEGIN b := a + 1; c := 'c, ' || a; END $$;

SELECT * FROM outs(1);

SELECT outs(1);

SELECT b, c FROM outs(5) WHERE b = 6;

CREATE FUNCTION one_out(OUT b integer) LANGUAGE plpgsql AS $$ BEGIN b := 5; END $$;

SELECT one_out();

CREATE FUNCTION mismatch() RETURNS TABLE (a integer, b text) LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT 1; END $$;

SELECT * FROM mismatch();

CREATE FUNCTION mismatch_type() RETURNS TABLE (a integer) LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT 'x'::text; END $$;

SELECT * FROM mismatch_type();

-- Strict and default.

CREATE FUNCTION strict_sum(a integer, b integer DEFAULT 10) RETURNS integer STRICT IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN a + b; END $$;

SELECT strict_sum(1), strict_sum(1, 2), strict_sum(NULL), strict_sum(1, NULL);

SELECT strict_sum(NULL, 1) AS nothing;

CREATE FUNCTION not_strict(a integer) RETURNS text LANGUAGE plpgsql CALLED ON NULL INPUT AS $$ BEGIN RETURN coalesce(a, -1); END $$;

SELECT not_strict(NULL);

-- Recursion.

CREATE FUNCTION factorial(n integer) RETURNS numeric LANGUAGE plpgsql AS $$
BEGIN
    IF n <= 1 THEN RETURN 1; END IF;
    RETURN n * factorial(n - 1);
END $$;

SELECT factorial(20);

CREATE FUNCTION endless(n integer) RETURNS integer LANGUAGE plpgsql AS $$ BEGIN RETURN endless(n + 1); END $$;

SELECT endless(1);

-- Dynamic.

CREATE FUNCTION dynamic(name text, i integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE o text; n integer; s text := '';
BEGIN
    EXECUTE 'SELECT owner FROM ' || name || ' WHERE id = $1' INTO o USING i;
    EXECUTE 'UPDATE account SET balance = balance + $1 WHERE id = $2' USING 0.5, i;
    GET DIAGNOSTICS n = ROW_COUNT;
    FOR s IN EXECUTE 'SELECT owner FROM account WHERE id <> $1 ORDER BY id' USING i LOOP
        o := o || ' ' || s;
    END LOOP;
    RETURN o || n;
END $$;

SELECT dynamic('account', 1);

SELECT dynamic('no_such_table', 1);

SELECT dynamic(NULL, 1);

DROP FUNCTION dynamic;

DROP PROCEDURE total;

DROP PROCEDURE transfer;

CALL transfer(1, 2, 3, NULL);

DROP ROUTINE round_trip;

CREATE FUNCTION insert_behind_with(i integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    made integer;
BEGIN
    WITH a AS (SELECT i AS id) INSERT INTO account SELECT id, 'With', 0 FROM a RETURNING account.id INTO made;
    RETURN made;
END $$;

SELECT insert_behind_with(77);
