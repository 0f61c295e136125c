-- Where NamDB answers, but not as PostgreSQL does.
-- Letters of all alphabets change their case; in PostgreSQL with the collation C, only those of ASCII.
SELECT lower('ÄB'), upper('äb'), initcap('äpfel ÖL');
-- The isolation level has a name of its own, too; it is the only one.
SET TRANSACTION ISOLATION LEVEL SNAPSHOT;
BEGIN ISOLATION LEVEL SNAPSHOT;
SHOW transaction_isolation;
COMMIT;
BEGIN ISOLATION LEVEL READ COMMITTED;
SHOW transaction_isolation;
COMMIT;
-- TEXT is bounded.
CREATE TABLE texts (id INT PRIMARY KEY, t TEXT, s VARCHAR(3), b VARCHAR(4 BYTES));
INSERT INTO texts VALUES (1, repeat('x', 1024), 'äöü', 'äö');
INSERT INTO texts VALUES (2, repeat('x', 1048577), 'a', 'a');
INSERT INTO texts VALUES (2, repeat('x', 1025), 'a', 'a');
CREATE INDEX texts_t ON texts (t);
INSERT INTO texts VALUES (5, repeat('x', 100), 'a', 'a');
DELETE FROM texts WHERE id IN (2, 5);
INSERT INTO texts VALUES (3, 'x', 'äöüß', 'a');
INSERT INTO texts VALUES (4, 'x', 'a', 'äöü');
SELECT id, length(t), s, b FROM texts ORDER BY id;
-- Nobody waits for a lock.
SELECT id FROM texts FOR UPDATE NOWAIT;
-- A NUMERIC column without a precision has 18 digits, 6 of them behind the point, and rounds nothing.
CREATE TABLE numbers (id INT PRIMARY KEY, bare NUMERIC, rounds NUMERIC(18, 6));
INSERT INTO numbers VALUES (1, 0.123456, 0.123456), (2, 1.5000000000, 1.5);
INSERT INTO numbers VALUES (3, 0.1234567, 0);
INSERT INTO numbers VALUES (3, 0, 0.1234567);
INSERT INTO numbers VALUES (4, '1e-7', 0);
INSERT INTO numbers VALUES (4, 123456789012.5, 0);
INSERT INTO numbers VALUES (5, 1234567890123, 0);
UPDATE numbers SET bare = bare / 3;
UPDATE numbers SET bare = round(bare / 3, 6), rounds = rounds / 3;
COPY numbers FROM STDIN CSV;
6,0.1234567,0
\.
SELECT * FROM numbers ORDER BY id;
ALTER TABLE numbers ADD COLUMN more DECIMAL DEFAULT 0.1234567;
-- There is one database with one schema, in which everybody is the same user.
SELECT current_user, session_user, user, current_role, current_catalog, current_database(), current_schema, current_schema();
SELECT user();
-- Moments whose difference no interval has; PostgreSQL 15 gives a wrong one.
SELECT TIMESTAMPTZ '294276-12-31 23:59:59 UTC' - TIMESTAMPTZ '1999-12-23 19:59:04.224192 UTC';
SELECT TIMESTAMP '294276-12-31 23:59:59' - TIMESTAMP '1999-12-23 19:59:04.224192';
-- Texts have a length that they may have at most.
SELECT format(repeat('%1$1048576s', 100), 'x');
-- More seconds than an int has in microseconds.
SELECT to_timestamp('4294968', 'MS');
