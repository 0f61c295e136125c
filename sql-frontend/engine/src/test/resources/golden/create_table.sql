-- Tables of every type, existing and missing ones, names and their case.
CREATE TABLE books (id INT PRIMARY KEY, title VARCHAR(40) NOT NULL, pages SMALLINT, price DECIMAL(8,2));
INSERT INTO books VALUES (1, 'Atlas', 320, 19.90);
SELECT * FROM books;
CREATE TABLE books (id INT);
CREATE TABLE IF NOT EXISTS books (id INT);
SELECT title FROM books;
DROP TABLE books;
SELECT * FROM books;
DROP TABLE books;
DROP TABLE IF EXISTS books;
CREATE TABLE everything (
    a SMALLINT, b INT, c BIGINT, d DECIMAL(18,4), e NUMERIC(5), f REAL, g DOUBLE PRECISION, h BOOLEAN,
    i CHAR(3), j VARCHAR(12), k TEXT, l DATE, m TIME, n TIMESTAMP, o BYTEA, p UUID
);
INSERT INTO everything VALUES (
    -1, 2, 3000000000, 12345.6789, 77, 1.5, -0.25, TRUE,
    'ab', 'varied', 'long text', '2024-02-29', '13:45:10', '2024-02-29 13:45:10.5', '\x00ff', '6f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0'
);
SELECT * FROM everything;
INSERT INTO everything (a) VALUES (NULL);
SELECT b, d, i, n FROM everything ORDER BY b;
DROP TABLE everything;
-- Other names of the same types.
CREATE TABLE synonyms (a INTEGER, b INT2, c INT4, d INT8, e NUMERIC(6,1), f CHARACTER(2), g CHARACTER VARYING(5), h BOOL, i FLOAT, j TIMESTAMP WITHOUT TIME ZONE);
INSERT INTO synonyms VALUES (1, 2, 3, 4, 5.5, 'f', 'g', false, 0.5, '2001-01-01');
SELECT * FROM synonyms;
DROP TABLE synonyms;
-- Names fold to lower case unless they are quoted.
CREATE TABLE Mixed (Id INT PRIMARY KEY, "Upper Case" TEXT, "select" INT);
INSERT INTO MIXED (ID, "Upper Case", "select") VALUES (1, 'kept', 9);
SELECT * FROM mixed;
SELECT "Upper Case", mixed."select" FROM mixed;
SELECT upper_case FROM mixed;
SELECT * FROM "Mixed";
CREATE TABLE "Mixed" (id INT);
SELECT * FROM "Mixed";
DROP TABLE "Mixed";
DROP TABLE mixed;
-- Definitions that are wrong.
CREATE TABLE twice (a INT, a TEXT);
CREATE TABLE unknown_type (a INTT);
CREATE TABLE no_comma (a INT b INT);
CREATE TABLE too_precise (a DECIMAL(0));
CREATE TABLE scale_first (a VARCHAR(0));
CREATE TABLE two_keys (a INT PRIMARY KEY, b INT PRIMARY KEY);
CREATE TABLE lost_key (a INT, PRIMARY KEY (b));
CREATE TABLE bad_default (a INT DEFAULT 'x');
CREATE TABLE ();
SELECT * FROM twice;
-- Several tables are dropped together, or none is.
CREATE TABLE one (a INT);
CREATE TABLE two (a INT);
DROP TABLE one, missing, two;
SELECT * FROM one;
DROP TABLE one, two;
SELECT * FROM two;
-- A dropped name is free for another table.
CREATE TABLE again (a INT PRIMARY KEY);
INSERT INTO again VALUES (1);
DROP TABLE again;
CREATE TABLE again (b TEXT PRIMARY KEY);
SELECT * FROM again;
DROP TABLE again;
-- What benchmarks and migrations say of storage.
CREATE TABLE stored (id INT NOT NULL, filler CHAR(88)) WITH (fillfactor = 100, autovacuum_enabled = false, parallel_workers = 2);
ALTER TABLE stored ADD PRIMARY KEY (id);
CREATE INDEX ON stored (filler) WITH (fillfactor = 70, deduplicate_items = off);
ALTER TABLE stored SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.2);
ALTER TABLE stored SET (full = 50);
CREATE TABLE stored_more (id INT) WITH (full = 50);
COPY stored FROM STDIN WITH (FREEZE off);
1	a
\.
BEGIN;
TRUNCATE stored;
COPY stored FROM STDIN WITH (FREEZE on);
2	b
\.
COMMIT;
SELECT id FROM stored;
VACUUM ANALYZE stored;
