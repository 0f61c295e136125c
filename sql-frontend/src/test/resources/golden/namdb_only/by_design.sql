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
INSERT INTO texts VALUES (2, repeat('x', 1025), 'a', 'a');
INSERT INTO texts VALUES (3, 'x', 'äöüß', 'a');
INSERT INTO texts VALUES (4, 'x', 'a', 'äöü');
SELECT id, length(t), s, b FROM texts ORDER BY id;
-- Nobody waits for a lock.
SELECT id FROM texts FOR UPDATE NOWAIT;
