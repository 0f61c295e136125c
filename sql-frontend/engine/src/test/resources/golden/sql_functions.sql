CREATE TABLE account (id INT PRIMARY KEY, owner VARCHAR(20) NOT NULL, balance NUMERIC(12, 2));

INSERT INTO account VALUES (1, 'Ada', 100), (2, 'Grace', 50), (3, 'Barbara', 10);

CREATE FUNCTION add(a integer, b integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$ SELECT a + b $$;

SELECT add(1, 2), add(id, 10) FROM account ORDER BY id;

CREATE FUNCTION second(integer, integer) RETURNS integer LANGUAGE sql AS 'SELECT $2;';

SELECT second(1, 2);

CREATE FUNCTION owner_of(account_id integer) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT owner FROM account WHERE id = account_id
$$;

SELECT owner_of(2), owner_of(9);

CREATE FUNCTION rich(lowest numeric) RETURNS SETOF account LANGUAGE sql AS $$
    SELECT * FROM account WHERE balance >= lowest ORDER BY id
$$;

SELECT * FROM rich(50) ORDER BY id;

SELECT owner FROM rich(60);

CREATE FUNCTION names(lowest numeric) RETURNS TABLE (who text, amount numeric) LANGUAGE sql AS $$
    SELECT owner, balance FROM account WHERE balance >= lowest
$$;

SELECT * FROM names(20) ORDER BY who;

CREATE FUNCTION deposit(account_id integer, amount numeric) RETURNS numeric LANGUAGE sql AS $$
    UPDATE account SET balance = balance + amount WHERE id = account_id;
    SELECT balance FROM account WHERE id = account_id;
$$;

SELECT deposit(1, 5);

CREATE FUNCTION remove(account_id integer) RETURNS SETOF integer LANGUAGE sql AS $$
    DELETE FROM account WHERE id >= account_id RETURNING id;
$$;

SELECT count(*) FROM remove(3);

CREATE FUNCTION clear() RETURNS void LANGUAGE sql AS $$ UPDATE account SET balance = 0 $$;

SELECT clear();

SELECT * FROM account ORDER BY id;

CREATE PROCEDURE set_all(amount numeric) LANGUAGE sql AS $$
    UPDATE account SET balance = amount;
    INSERT INTO account VALUES (7, 'New', amount);
$$;

CALL set_all(3);

SELECT * FROM account ORDER BY id;

CREATE FUNCTION pair(a integer, OUT b integer, OUT c text) LANGUAGE sql AS $$ SELECT a + 1, 'c' || a $$;

SELECT * FROM pair(1);

CREATE FUNCTION first_of() RETURNS integer LANGUAGE sql AS $$ SELECT i FROM generate_series(5, 9) AS s (i) ORDER BY i $$;

SELECT first_of();

CREATE FUNCTION zero(a integer) RETURNS integer LANGUAGE sql AS $$ SELECT 1 / a $$;

SELECT zero(0);

CREATE FUNCTION bad() RETURNS integer LANGUAGE sql AS $$ SELEC 1 $$;

CREATE FUNCTION bad() RETURNS integer LANGUAGE sql AS $$ UPDATE account SET balance = 1 $$;

DROP FUNCTION add;
