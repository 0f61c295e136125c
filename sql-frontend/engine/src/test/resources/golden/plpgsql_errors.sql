CREATE TABLE t (id INT PRIMARY KEY, v INT NOT NULL CHECK (v > 0));

INSERT INTO t VALUES (1, 10);

CREATE FUNCTION division(a integer, b integer) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN a / b;
EXCEPTION
    WHEN division_by_zero THEN
        RETURN SQLSTATE || ': ' || SQLERRM;
END $$;

SELECT division(6, 2), division(1, 0);

CREATE FUNCTION undone() RETURNS text LANGUAGE plpgsql AS $$
DECLARE s text := '';
BEGIN
    INSERT INTO t VALUES (2, 20);
    BEGIN
        INSERT INTO t VALUES (3, 30);
        UPDATE t SET v = v + 1;
        s := 'kept';
        INSERT INTO t VALUES (1, 1);
        s := 'never';
    EXCEPTION
        WHEN not_null_violation OR unique_violation THEN
            s := s || ' ' || SQLSTATE;
    END;
    INSERT INTO t VALUES (4, 40);
    RETURN s;
END $$;

SELECT undone();

SELECT * FROM t ORDER BY id;

CREATE FUNCTION classes(what integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE x integer;
BEGIN
    CASE what
        WHEN 1 THEN x := 1 / 0;
        WHEN 2 THEN x := 'x';
        WHEN 3 THEN INSERT INTO t VALUES (1, 1);
        WHEN 4 THEN INSERT INTO t VALUES (9, -1);
        WHEN 5 THEN INSERT INTO t VALUES (9, NULL);
        WHEN 6 THEN RAISE EXCEPTION 'own' USING ERRCODE = 'AB123';
        WHEN 7 THEN RAISE EXCEPTION 'plain %, % %%', 1, NULL;
        WHEN 8 THEN RAISE division_by_zero;
        WHEN 9 THEN RAISE SQLSTATE '22012';
        WHEN 10 THEN SELECT v INTO STRICT x FROM t WHERE id = 99;
        WHEN 11 THEN SELECT v INTO x FROM no_such_table;
        WHEN 12 THEN x := 2147483647; x := x + 1;
        WHEN 13 THEN RAISE unique_violation USING MESSAGE = 'made up', DETAIL = 'd', HINT = 'h';
        WHEN 14 THEN RAISE USING MESSAGE = 'm', ERRCODE = 'check_violation';
        WHEN 15 THEN ASSERT 1 = 2, 'not equal';
        WHEN 16 THEN RAISE 'just text';
        ELSE RETURN 'none';
    END CASE;
    RETURN 'no error';
EXCEPTION
    WHEN data_exception THEN RETURN 'data ' || SQLSTATE;
    WHEN integrity_constraint_violation THEN RETURN 'integrity ' || SQLSTATE;
    WHEN SQLSTATE 'AB123' THEN RETURN 'own ' || SQLERRM;
    WHEN OTHERS THEN RETURN 'other ' || SQLSTATE || ' ' || SQLERRM;
END $$;

SELECT classes(1), classes(2), classes(3), classes(4), classes(5);

SELECT classes(6), classes(7), classes(8), classes(9), classes(10);

SELECT classes(11);

SELECT classes(12), classes(13), classes(14), classes(16), classes(17);

SELECT classes(15);

CREATE FUNCTION nested() RETURNS text LANGUAGE plpgsql AS $$
DECLARE s text := '';
BEGIN
    BEGIN
        BEGIN
            RAISE EXCEPTION 'first' USING ERRCODE = '22012';
        EXCEPTION WHEN unique_violation THEN
            s := s || 'wrong';
        END;
    EXCEPTION WHEN division_by_zero THEN
        s := s || 'a:' || SQLERRM;
        BEGIN
            RAISE EXCEPTION 'second';
        EXCEPTION WHEN raise_exception THEN
            s := s || ' b:' || SQLERRM;
        END;
        s := s || ' c:' || SQLERRM;
        BEGIN
            RAISE;
        EXCEPTION WHEN OTHERS THEN
            s := s || ' d:' || SQLERRM;
        END;
    END;
    RETURN s;
END $$;

SELECT nested();

CREATE FUNCTION again() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'once';
EXCEPTION WHEN OTHERS THEN
    RAISE;
END $$;

SELECT again();

CREATE FUNCTION outside() RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE; END $$;

SELECT outside();

CREATE FUNCTION stacked() RETURNS text LANGUAGE plpgsql AS $$
DECLARE a text; b text; c text; d text; e text; f text;
BEGIN
    INSERT INTO t VALUES (1, -5);
    RETURN 'never';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS a = RETURNED_SQLSTATE, b = MESSAGE_TEXT, c = TABLE_NAME, d = CONSTRAINT_NAME, e = PG_EXCEPTION_HINT,
        f = COLUMN_NAME;
    RETURN a || '|' || b || '|' || c || '|' || d || '|' || e || '|' || f;
END $$;

SELECT stacked();

CREATE FUNCTION not_stacked() RETURNS text LANGUAGE plpgsql AS $$
DECLARE a text;
BEGIN
    GET STACKED DIAGNOSTICS a = RETURNED_SQLSTATE;
    RETURN a;
END $$;

SELECT not_stacked();

CREATE FUNCTION in_loop() RETURNS text LANGUAGE plpgsql AS $$
DECLARE s text := ''; k integer;
BEGIN
    FOR k IN SELECT i FROM generate_series(-2, 2) AS i ORDER BY i LOOP
        BEGIN
            INSERT INTO t VALUES (k + 100, 10 / k);
            s := s || ' ' || k;
        EXCEPTION
            WHEN check_violation THEN s := s || ' check';
            WHEN division_by_zero THEN s := s || ' zero';
        END;
    END LOOP;
    RETURN s;
END $$;

SELECT in_loop();

SELECT * FROM t WHERE id > 90 ORDER BY id;

CREATE FUNCTION leaves() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE n integer := 0;
BEGIN
    LOOP
        BEGIN
            n := n + 1;
            IF n = 2 THEN CONTINUE; END IF;
            IF n = 4 THEN EXIT; END IF;
            IF n = 3 THEN RAISE EXCEPTION 'x'; END IF;
        EXCEPTION WHEN OTHERS THEN
            n := n + 0;
        END;
    END LOOP;
    BEGIN
        RETURN n;
    EXCEPTION WHEN OTHERS THEN
        RETURN -1;
    END;
END $$;

SELECT leaves();

CREATE PROCEDURE fails() LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO t VALUES (500, 1);
    RAISE EXCEPTION USING MESSAGE = 'stop', ERRCODE = 'P0777';
END $$;

CALL fails();

SELECT count(*) FROM t WHERE id = 500;

BEGIN;

INSERT INTO t VALUES (501, 1);

CALL fails();

SELECT 1;

ROLLBACK;

SELECT count(*) FROM t WHERE id >= 500;

CREATE FUNCTION raises(level text) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
    RAISE DEBUG 'd';
    RAISE LOG 'l';
    RAISE INFO 'i';
    RAISE NOTICE 'n % %', level, 1.5;
    RAISE WARNING 'w';
    RAISE NOTICE USING MESSAGE = NULL;
    RETURN 1;
END $$;

SELECT raises('x');

CREATE FUNCTION handler_fails() RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a';
EXCEPTION WHEN OTHERS THEN
    RETURN 1 / 0;
END $$;

SELECT handler_fails();

CREATE FUNCTION in_handler() RETURNS text LANGUAGE plpgsql AS $$
DECLARE s text;
BEGIN
    INSERT INTO t VALUES (600, 1);
    RAISE EXCEPTION 'a';
EXCEPTION WHEN OTHERS THEN
    INSERT INTO t VALUES (601, 1);
    SELECT string_agg(id::text, ',' ORDER BY id) INTO s FROM t WHERE id >= 600;
    RETURN s;
END $$;

SELECT in_handler();

-- Blocks without a name.

DO $$
DECLARE n integer;
BEGIN
    FOR i IN 700..702 LOOP
        INSERT INTO t VALUES (i, i);
    END LOOP;
    SELECT count(*) INTO n FROM t WHERE id >= 700;
    ASSERT n = 3;
END $$;

SELECT id FROM t WHERE id >= 700 ORDER BY id;

DO LANGUAGE plpgsql 'BEGIN UPDATE t SET v = 1 WHERE id = 700; RAISE EXCEPTION ''no''; END';

SELECT v FROM t WHERE id = 700;

DO $$ BEGIN RETURN 1; END $$;

DO $$ BEGIN x := 1; END $$;

DO $$ BEGIN SELECT 1; END $$;

DO LANGUAGE nothing $$ BEGIN NULL; END $$;

DO;
