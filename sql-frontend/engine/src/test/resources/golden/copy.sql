-- COPY from and to the client, as text and as CSV.
CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(10), amount DECIMAL(6,2), day DATE, ok BOOLEAN);
COPY t FROM STDIN;
1	one	1.50	2024-01-01	t
2	two	\N	2024-01-02	f
3		3	\N	\N
\.
SELECT * FROM t ORDER BY id;
-- A table goes out in no certain order, so this one has a single row.
CREATE TABLE one (id INT, name TEXT, ok BOOLEAN, bytes BYTEA);
COPY one TO STDOUT;
COPY one FROM STDIN;
7	\N	f	\\x0aff
\.
SELECT * FROM one;
COPY one TO STDOUT;
COPY one (name, id) TO STDOUT;
COPY one TO STDOUT WITH (FORMAT csv);
COPY (SELECT id, name, amount, day, ok FROM t ORDER BY id) TO STDOUT;
COPY (SELECT name, id FROM t ORDER BY id DESC) TO STDOUT;
-- Columns that are not named take their defaults.
COPY t (id, name) FROM STDIN;
4	four
5	\N
\.
-- Escapes.
COPY t (id, name) FROM STDIN;
6	a\tb
7	c\\d
8	e\nf
9	\x41g
\.
SELECT id, name, length(name) FROM t WHERE id > 5 ORDER BY id;
COPY (SELECT id, name FROM t WHERE id > 3 ORDER BY id) TO STDOUT;
-- Delimiters, nulls, headers.
COPY t (id, name, amount) FROM STDIN WITH (DELIMITER '|', NULL 'none');
10|ten|none
11|none|11.11
\.
COPY (SELECT id, name, amount FROM t WHERE id > 9 ORDER BY id) TO STDOUT WITH (DELIMITER ';', NULL '-');
-- CSV
COPY t FROM STDIN WITH (FORMAT csv);
20,twenty,20.00,2024-02-20,true
21,"a,b",,,
22,"say ""x""",0.5,2024-02-22,f
23,"",,,
\.
SELECT id, name, name IS NULL AS missing, amount FROM t WHERE id >= 20 ORDER BY id;
COPY (SELECT * FROM t WHERE id >= 20 ORDER BY id) TO STDOUT WITH (FORMAT csv);
COPY (SELECT id, name, amount FROM t WHERE id >= 20 ORDER BY id) TO STDOUT WITH (FORMAT csv, HEADER);
COPY t (id, name) FROM STDIN WITH (FORMAT csv, HEADER, DELIMITER ';');
id;name
24;x;
\.
COPY t (id, name) FROM STDIN WITH (FORMAT csv, HEADER, DELIMITER ';');
id;name
24;"x;y"
\.
COPY t (id, name) FROM STDIN WITH (FORMAT csv, NULL 'nil');
25,nil
26,"nil"
\.
SELECT id, name FROM t WHERE id > 23 ORDER BY id;
-- No rows at all.
COPY t FROM STDIN;
\.
COPY (SELECT id FROM t WHERE id > 1000) TO STDOUT;
-- All rows, or none.
COPY t (id, name) FROM STDIN;
30	thirty
1	again
\.
COPY t (id, name) FROM STDIN;
30	thirty
x	no number
\.
COPY t (id, name) FROM STDIN;
30	thirty
31
\.
COPY t (id, name) FROM STDIN;
30	thirty	and more
\.
COPY t (id, name) FROM STDIN;
30	much too long for it
\.
COPY t (id, name) FROM STDIN;
\N	no key
\.
COPY t (id, day) FROM STDIN;
30	2024-02-30
\.
COPY t (id, name) FROM STDIN WITH (FORMAT csv);
30,"open
\.
SELECT COUNT(*) FROM t WHERE id >= 30;
-- In a transaction.
BEGIN;
COPY t (id) FROM STDIN;
40
41
\.
SELECT COUNT(*) FROM t WHERE id >= 40;
ROLLBACK;
SELECT COUNT(*) FROM t WHERE id >= 40;
-- Errors.
COPY nowhere TO STDOUT;
COPY t (nothing) TO STDOUT;
COPY t (id, id) TO STDOUT;
COPY t TO STDOUT WITH (FORMAT nonsense);
COPY t TO STDOUT WITH (NONSENSE);
COPY t TO STDOUT WITH (DELIMITER 'ab');
COPY (DELETE FROM t) TO STDOUT;
COPY nowhere FROM STDIN;
1
\.
-- The syntax of PostgreSQL before 7.3.
CREATE TABLE old_copy (a INT, b TEXT);
COPY old_copy FROM STDIN USING DELIMITERS '|';
1|x
\.
COPY old_copy TO STDOUT USING DELIMITERS ':';
COPY old_copy TO STDOUT USING DELIMITERS ':' WITH NULL 'n';
COPY BINARY old_copy TO STDOUT CSV;
COPY BINARY (SELECT 1) TO STDOUT;
COPY old_copy TO STDOUT USING DELIMITERS ':' DELIMITER ',';
COPY old_copy TO STDOUT USING SEPARATORS ':';
DROP TABLE old_copy;
