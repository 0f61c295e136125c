-- UPDATE
CREATE TABLE acct (id INT PRIMARY KEY, owner VARCHAR(8), bal DECIMAL(8,2), lim INT DEFAULT 100, since DATE);
INSERT INTO acct VALUES (1, 'ann', 10.00, 50, '2020-01-01'), (2, 'bob', 20.00, NULL, NULL), (3, 'cyd', -5.50, 0, '2021-06-30'), (4, 'dee', NULL, 10, '2022-02-02');
UPDATE acct SET bal = bal + 1 WHERE id = 1;
UPDATE acct SET bal = bal * 2, owner = upper(owner) WHERE bal > 15;
UPDATE acct SET bal = 0 WHERE id = 99;
SELECT * FROM acct ORDER BY id;
UPDATE acct SET lim = lim + 1;
SELECT id, lim FROM acct ORDER BY id;
-- The right sides see the old row.
CREATE TABLE swap (a INT, b INT);
INSERT INTO swap VALUES (1, 2), (3, 4);
UPDATE swap SET a = b, b = a;
SELECT * FROM swap ORDER BY a;
UPDATE swap SET (a, b) = (b * 10, a * 10);
SELECT * FROM swap ORDER BY a;
UPDATE swap SET a = a + b, b = DEFAULT WHERE b > 15;
SELECT * FROM swap ORDER BY a;
-- Keys move.
UPDATE acct SET id = id + 10 WHERE id > 2;
SELECT id, owner FROM acct ORDER BY id;
UPDATE acct SET id = 1 WHERE id = 2;
UPDATE acct SET id = 5;
SELECT COUNT(*) FROM acct WHERE id = 5;
UPDATE acct SET id = -id;
SELECT id FROM acct ORDER BY id;
UPDATE acct SET id = -id;
-- Subqueries.
UPDATE acct SET bal = (SELECT MAX(bal) FROM acct) WHERE bal IS NULL;
SELECT id, bal FROM acct ORDER BY id;
UPDATE acct SET lim = (SELECT COUNT(*) FROM swap WHERE swap.a > acct.id);
UPDATE acct SET bal = bal - 1 WHERE id IN (SELECT id FROM acct WHERE owner < 'c') AND lim > 0;
SELECT id, bal, lim FROM acct ORDER BY id;
UPDATE acct SET bal = (SELECT bal FROM acct);
UPDATE acct SET bal = (SELECT bal FROM acct WHERE id = 99) WHERE id = 1;
SELECT bal FROM acct WHERE id = 1;
UPDATE acct AS a SET lim = a.id * 2 WHERE a.id = 1;
UPDATE acct a SET lim = acct.id WHERE a.id = 1;
SELECT lim FROM acct WHERE id = 1;
-- CASE, NULL and dates.
UPDATE acct SET bal = CASE WHEN bal > 30 THEN bal - 30 WHEN bal IS NULL THEN 0 ELSE bal END, since = COALESCE(since, '2000-01-01') + 1;
SELECT id, bal, since FROM acct ORDER BY id;
UPDATE acct SET since = NULL WHERE since < '2010-01-01';
SELECT id FROM acct WHERE since IS NULL;
-- Errors change nothing.
UPDATE acct SET owner = 'a long name';
UPDATE acct SET bal = 1 / (id - 1);
UPDATE acct SET lim = lim / (id - 2);
UPDATE acct SET bal = 1000000;
UPDATE acct SET nothing = 1;
UPDATE acct SET bal = nothing;
UPDATE acct SET bal = 1, bal = 2;
UPDATE acct SET since = 5;
UPDATE acct SET lim = 'x';
UPDATE acct SET id = NULL;
UPDATE acct SET bal = SUM(bal);
UPDATE acct SET (bal, lim) = (1, 2, 3);
UPDATE nowhere SET a = 1;
UPDATE acct SET acct.bal = 1;
SELECT * FROM acct ORDER BY id;
