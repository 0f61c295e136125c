-- Variables, types and statements of PL/pgSQL in many combinations.

CREATE TABLE p (id INT PRIMARY KEY, name TEXT, qty INT, price NUMERIC(8,2), d DATE, ok BOOLEAN);

INSERT INTO p VALUES (1,'a',1,1.5,'2024-01-01',true),(2,'b',NULL,2.25,'2024-02-01',false),(3,NULL,3,NULL,NULL,NULL);

CREATE FUNCTION t1() RETURNS text LANGUAGE plpgsql AS $$
DECLARE r p; s text := '';
BEGIN
  FOR r IN SELECT * FROM p ORDER BY id LOOP
    s := s || coalesce(r.name, '?') || coalesce(r.qty::text, '-') || coalesce(r.price, 0) || coalesce(r.d::text,'nd') || coalesce(r.ok, false) || ';';
  END LOOP;
  RETURN s;
END $$;

SELECT t1();

CREATE FUNCTION t2(a int, b int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE c int;
BEGIN
  c = a; -- old assignment
  c := c + b * 2;
  /* comment; with ; semicolons */
  IF NOT (c > 10 AND a < b) THEN c := -c; END IF;
  RETURN c;
END $$;

SELECT t2(1, 2), t2(5, 6);

CREATE FUNCTION t4(t text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN CASE WHEN t IS NULL THEN 'null' WHEN t = '' THEN 'empty' ELSE upper(t) END;
END $$;

SELECT t4(NULL), t4(''), t4('abc');

CREATE FUNCTION t5() RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  n := count(*) FROM p WHERE qty > 0;
  RETURN n;
END $$;

SELECT t5();

CREATE FUNCTION t6(k int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM p WHERE id = k) THEN RETURN 'yes'; ELSE RETURN 'no'; END IF;
END $$;

SELECT t6(1), t6(10);

CREATE FUNCTION t7() RETURNS text LANGUAGE plpgsql AS $$
DECLARE v text; w text;
BEGIN
  SELECT name, qty INTO v FROM p WHERE id = 1;
  SELECT name INTO v, w FROM p WHERE id = 2;
  RETURN v || coalesce(w, 'none');
END $$;

SELECT t7();

CREATE FUNCTION t8() RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE total numeric(10,1) := 0;
BEGIN
  FOR i IN 1..3 LOOP total := total + 0.26; END LOOP;
  RETURN total;
END $$;

SELECT t8();

CREATE FUNCTION t9() RETURNS date LANGUAGE plpgsql AS $$
DECLARE d date; ts timestamp := '2024-05-06 07:08:09';
BEGIN
  d := ts; d := d + 3; d := d::text; RETURN d;
END $$;

SELECT t9();

CREATE FUNCTION t10() RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE b boolean; BEGIN IF b THEN RETURN true; END IF; RETURN b IS NULL; END $$;

SELECT t10();

CREATE FUNCTION t11(n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE i int; s text = '';
BEGIN
  i := 0;
  WHILE i < n LOOP
    i := i + 1;
    IF i = 2 THEN CONTINUE; ELSIF i = 5 THEN EXIT; END IF;
    s := s || i::text || ',';
  END LOOP;
  RETURN rtrim(s, ',');
END $$;

SELECT t11(10);

CREATE FUNCTION t12() RETURNS text LANGUAGE plpgsql AS $$
DECLARE s text := '';
BEGIN
  BEGIN
    INSERT INTO p (id) VALUES (1);
  EXCEPTION WHEN unique_violation THEN
    s := s || SQLSTATE;
  END;
  INSERT INTO p (id, name) VALUES (4, 'four') ON CONFLICT (id) DO UPDATE SET name = excluded.name;
  INSERT INTO p (id, name) VALUES (4, 'four!') ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING name INTO s;
  RETURN s;
END $$;

SELECT t12();

CREATE FUNCTION t13() RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT name FROM p WHERE name IS NOT NULL ORDER BY id;
  IF NOT FOUND THEN RETURN NEXT 'nothing'; END IF;
  RETURN QUERY SELECT name FROM p WHERE id > 100;
  IF NOT FOUND THEN RETURN NEXT 'nothing'; END IF;
END $$;

SELECT string_agg(x, ',') FROM t13() x;

CREATE FUNCTION t14(INOUT a int, OUT b int) LANGUAGE plpgsql AS $$ BEGIN b := a; a := a + 1; RETURN; END $$;

SELECT * FROM t14(5);

CREATE FUNCTION t15() RETURNS TABLE(id int, name text) LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT id, name FROM p; END $$;

SELECT * FROM t15();

CREATE FUNCTION t16() RETURNS TABLE(id int, name text) LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT q.id, q.name FROM p q ORDER BY q.id LIMIT 1; END $$;

SELECT * FROM t16();

CREATE FUNCTION t17() RETURNS text LANGUAGE plpgsql AS $$
<<main>>
DECLARE x int := 1;
BEGIN
  <<inner_block>>
  DECLARE x int := 2;
  BEGIN
    main.x := 10;
    inner_block.x := x + 1;
    RETURN main.x || ',' || x;
  END inner_block;
END main $$;

SELECT t17();

CREATE FUNCTION t18() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 'abc'::int; EXCEPTION WHEN invalid_text_representation THEN RETURN -1; END $$;

SELECT t18();

CREATE FUNCTION t19() RETURNS smallint LANGUAGE plpgsql AS $$ BEGIN RETURN 100000; END $$;

SELECT t19();

CREATE FUNCTION t21() RETURNS int LANGUAGE plpgsql AS $$ BEGIN LOOP RETURN 1; END LOOP; END $$;

SELECT t21();

CREATE FUNCTION t22() RETURNS text LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN SELECT 1 AS a, 2 AS b INTO r; IF r IS NULL THEN RETURN 'null'; END IF; RETURN r; END $$;

SELECT t22();

CREATE FUNCTION t23(a text, b text DEFAULT 'x', c int DEFAULT 1 + 2) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN a || b || c; END $$;

SELECT t23('1'), t23('1', '2'), t23('1', '2', 5);

CREATE FUNCTION t24() RETURNS int LANGUAGE plpgsql AS $$ DECLARE n int := 0; BEGIN UPDATE p SET qty = coalesce(qty, 0) + 1; GET DIAGNOSTICS n = ROW_COUNT; RETURN n; END $$;

SELECT t24();

CREATE FUNCTION t25() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM t24(); PERFORM id FROM p WHERE id > 2; IF FOUND THEN RETURN 1; END IF; RETURN 0; END $$;

SELECT t25();

SELECT sum(qty) FROM p;

CREATE FUNCTION t26() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'bad % and %', 1, 'two' USING DETAIL = 'det', HINT = 'hin', ERRCODE = '22023'; EXCEPTION WHEN invalid_parameter_value THEN RETURN SQLERRM; END $$;

SELECT t26();

CREATE FUNCTION t27() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'x' USING MESSAGE = 'y'; END $$;

SELECT t27();

CREATE FUNCTION t28() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'bad'; END $$;

SELECT t28();

CREATE FUNCTION t29() RETURNS int LANGUAGE plpgsql AS $$ BEGIN COMMIT; RETURN 1; END $$;

SELECT t29();

CREATE FUNCTION t30() RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'SELECT 1 +'; RETURN 1; END $$;

SELECT t30();

CREATE FUNCTION t31() RETURNS int LANGUAGE plpgsql AS $$ DECLARE i int; BEGIN EXECUTE 'SELECT $1 + $2' INTO i USING 1, 2; EXECUTE format('SELECT 1') INTO i; RETURN i; END $$;

CREATE FUNCTION t32() RETURNS int LANGUAGE plpgsql AS $$ DECLARE i int; BEGIN SELECT x INTO i FROM generate_series(1, 3) x WHERE x = 2; RETURN i; END $$;

SELECT t32();

CREATE FUNCTION t33() RETURNS int LANGUAGE plpgsql AS $$ DECLARE "Big Name" int := 4; BEGIN "Big Name" := "Big Name" * 2; RETURN "Big Name"; END $$;

SELECT t33();

CREATE FUNCTION t34(p int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE p int := 9; BEGIN RETURN p; END $$;

SELECT t34(1);

CREATE FUNCTION t35(_id int) RETURNS text LANGUAGE plpgsql AS $$ DECLARE rec RECORD; BEGIN SELECT p.* INTO rec FROM p WHERE p.id = _id; IF NOT FOUND THEN RETURN 'missing'; END IF; RETURN rec.name; END $$;

SELECT t35(1), t35(99);

CREATE FUNCTION t36() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN x := (SELECT id FROM p); RETURN x; END $$;

SELECT t36();

CREATE FUNCTION t37() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN (1, 2); END $$;

CREATE FUNCTION t38() RETURNS int LANGUAGE plpgsql AS $$ BEGIN IF 1 THEN RETURN 1; END IF; RETURN 0; END $$;

SELECT t38();

CREATE FUNCTION t39() RETURNS int LANGUAGE plpgsql AS $$ BEGIN IF 'maybe' THEN RETURN 1; END IF; RETURN 0; END $$;

SELECT t39();

CREATE FUNCTION t40() RETURNS text LANGUAGE plpgsql AS $$ DECLARE a int; b int; BEGIN SELECT 1, 2 INTO a, b; DELETE FROM p WHERE id = 4 RETURNING id INTO a; RETURN a || ' ' || b; END $$;

SELECT t40();

SELECT t32() FROM p WHERE id = t32();

SELECT id FROM p ORDER BY t2(id, 1), id;

SELECT count(*) FROM p GROUP BY t6(id);

SELECT p.id, x.* FROM p, t14(3) AS x WHERE p.id = 1;

SELECT * FROM t14(1) a JOIN t14(1) b ON a.a = b.a;

INSERT INTO p (id, name) SELECT 100 + x, t4('n') FROM generate_series(1, 2) x;

SELECT id, name FROM p WHERE id > 100 ORDER BY id;

-- A row of a table with one column is a row.
CREATE TABLE single (n INT);
INSERT INTO single VALUES (7);
CREATE FUNCTION first_single() RETURNS single LANGUAGE sql AS 'SELECT * FROM single';
SELECT first_single();
SELECT * FROM first_single();
DROP FUNCTION first_single;
DROP TABLE single;

-- A routine's variables don't reach into views.
CREATE TABLE secrets (id INT, is_public BOOLEAN);
INSERT INTO secrets VALUES (1, true), (2, false);
CREATE VIEW shown AS SELECT id FROM secrets WHERE is_public;
CREATE FUNCTION all_shown(is_public BOOLEAN) RETURNS TABLE (id INT) LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT s.id FROM shown s; END $$;
SELECT * FROM all_shown(true);
DROP FUNCTION all_shown;
DROP VIEW shown;
DROP TABLE secrets;
-- Arrays.
CREATE FUNCTION total(numbers INT[]) RETURNS INT LANGUAGE plpgsql AS $$
DECLARE
    n INT;
    sum INT := 0;
BEGIN
    FOREACH n IN ARRAY numbers LOOP
        CONTINUE WHEN n IS NULL;
        EXIT WHEN n > 100;
        sum := sum + n;
    END LOOP;
    RETURN sum;
END $$;
SELECT total(ARRAY[1, 2, NULL, 4]), total('{}'), total('{1,1000,1}');
SELECT total(NULL);
CREATE FUNCTION squares(count INT) RETURNS BIGINT[] LANGUAGE plpgsql AS $$
DECLARE
    result BIGINT[];
    words VARCHAR(5)[] := ARRAY['a', 'b'];
    rec RECORD;
BEGIN
    FOR i IN 1 .. count LOOP
        result[i] := i * i;
    END LOOP;
    words[2] := 'xyz';
    words := words || 'end'::varchar;
    SELECT 1 AS id, result AS list INTO rec;
    rec.list[1] := -1;
    RAISE NOTICE '% % % %', words, words[1], result[2:3], rec.list;
    IF array_length(result, 1) > 2 THEN
        result[2] := (SELECT max(u) FROM unnest(result) AS u);
    END IF;
    RETURN result;
END $$;
SELECT squares(3), squares(0), (squares(4))[4];
CREATE FUNCTION names(OUT list TEXT[], OUT size INT) LANGUAGE plpgsql AS $$
BEGIN
    SELECT array_agg(w ORDER BY w), count(*) INTO list, size FROM (VALUES ('b'), ('a')) AS v (w);
END $$;
SELECT * FROM names();
CREATE FUNCTION each_of(list TEXT[]) RETURNS TABLE (place INT, word TEXT) LANGUAGE plpgsql AS $$
BEGIN
    place := 0;
    FOREACH word IN ARRAY list LOOP
        place := place + 1;
        RETURN NEXT;
    END LOOP;
    IF NOT FOUND THEN
        word := 'none';
        RETURN NEXT;
    END IF;
END $$;
SELECT * FROM each_of(ARRAY['x', NULL, 'z']) ORDER BY place;
SELECT * FROM each_of('{}');
DO $$ DECLARE a INT[]; x INT; BEGIN FOREACH x IN ARRAY 5 LOOP NULL; END LOOP; END $$;
DO $$ DECLARE a INT[]; BEGIN a['b'] := 5; END $$;
DO $$ DECLARE a INT; BEGIN a[1] := 5; END $$;
DO $$ DECLARE a INT[] := '{1}'; BEGIN a[NULL] := 5; END $$;
CREATE TABLE bag (id INT PRIMARY KEY, items TEXT[]);
DO $$
DECLARE
    row bag%ROWTYPE;
    items bag.items%TYPE := '{p,q}';
BEGIN
    INSERT INTO bag VALUES (1, items);
    SELECT * INTO row FROM bag;
    row.items[1] := 'first';
    UPDATE bag SET items = row.items;
END $$;
SELECT * FROM bag;
