-- IN, EXISTS, scalar and correlated subqueries, and their NULLs.
CREATE TABLE c (id INT PRIMARY KEY, city VARCHAR(6), credit INT);
CREATE TABLE o (id INT PRIMARY KEY, cust INT, total INT);
INSERT INTO c VALUES (1, 'Bonn', 100), (2, 'Kiel', 50), (3, 'Bonn', NULL), (4, NULL, 10);
INSERT INTO o VALUES (10, 1, 30), (11, 1, 70), (12, 2, 50), (13, NULL, 5), (14, 9, 500);
SELECT id FROM c WHERE id IN (SELECT cust FROM o) ORDER BY id;
SELECT id FROM c WHERE id NOT IN (SELECT cust FROM o) ORDER BY id;
SELECT id FROM c WHERE id NOT IN (SELECT cust FROM o WHERE cust IS NOT NULL) ORDER BY id;
SELECT id FROM c WHERE id NOT IN (SELECT cust FROM o WHERE FALSE) ORDER BY id;
SELECT id FROM c WHERE credit IN (SELECT total FROM o) ORDER BY id;
SELECT id, credit IN (SELECT total FROM o WHERE total < 100) AS found FROM c ORDER BY id;
SELECT id, credit NOT IN (SELECT cust FROM o) AS missing FROM c ORDER BY id;
SELECT NULL IN (SELECT 1 WHERE FALSE), 1 IN (SELECT NULL::INT), 1 NOT IN (SELECT 1 UNION SELECT NULL);
SELECT id FROM c WHERE (id, credit) IN (SELECT cust, total FROM o) ORDER BY id;
-- EXISTS
SELECT id FROM c WHERE EXISTS (SELECT 1 FROM o WHERE o.cust = c.id) ORDER BY id;
SELECT id FROM c WHERE NOT EXISTS (SELECT * FROM o WHERE o.cust = c.id) ORDER BY id;
SELECT id FROM c WHERE EXISTS (SELECT 1 FROM o WHERE o.cust = c.id AND o.total > 60);
SELECT id FROM c WHERE EXISTS (SELECT NULL FROM o WHERE FALSE);
SELECT id, EXISTS (SELECT 1 FROM o WHERE total = credit) AS e FROM c ORDER BY id;
SELECT EXISTS (SELECT 1 WHERE 1 = 2), NOT EXISTS (SELECT 1);
-- One value.
SELECT (SELECT MAX(total) FROM o), (SELECT 1) + 1 AS two;
SELECT id, (SELECT SUM(total) FROM o WHERE o.cust = c.id) AS spent FROM c ORDER BY id;
SELECT id, (SELECT COUNT(*) FROM o WHERE o.cust = c.id) AS n FROM c ORDER BY id;
SELECT id, credit - COALESCE((SELECT SUM(total) FROM o WHERE o.cust = c.id), 0) AS rest FROM c ORDER BY id;
SELECT id FROM c WHERE credit = (SELECT MAX(credit) FROM c);
SELECT id FROM o WHERE total > (SELECT AVG(total) FROM o);
SELECT id FROM o AS x WHERE total = (SELECT MAX(y.total) FROM o AS y WHERE y.cust = x.cust) ORDER BY id;
SELECT id FROM c WHERE (SELECT city FROM c AS d WHERE d.id = 99) IS NULL ORDER BY id;
SELECT (SELECT id FROM c WHERE id > 100);
SELECT (SELECT id FROM c);
SELECT id FROM c WHERE credit > (SELECT total FROM o);
SELECT id, (SELECT total FROM o WHERE o.cust = c.id) FROM c WHERE id = 2;
SELECT id, (SELECT total FROM o WHERE o.cust = c.id) FROM c WHERE id = 1;
-- Nested, and in other places.
SELECT id FROM c WHERE id IN (SELECT cust FROM o WHERE total > (SELECT MIN(credit) FROM c) AND cust IN (SELECT id FROM c WHERE city = 'Bonn'));
SELECT id FROM c WHERE city IN (SELECT d.city FROM c AS d WHERE d.id <> c.id AND EXISTS (SELECT 1 FROM o WHERE o.cust = d.id AND o.total < c.id * 100)) ORDER BY id;
SELECT city, (SELECT COUNT(*) FROM c AS d WHERE d.city = c.city) AS n FROM c GROUP BY city ORDER BY city;
SELECT city, COUNT(*) FROM c GROUP BY city HAVING COUNT(*) > (SELECT COUNT(*) FROM c WHERE city IS NULL);
SELECT id FROM c ORDER BY (SELECT SUM(total) FROM o WHERE o.cust = c.id) DESC NULLS LAST, id;
SELECT CASE WHEN EXISTS (SELECT 1 FROM o WHERE cust = 9) THEN (SELECT city FROM c WHERE id = 2) ELSE 'none' END AS pick;
SELECT o.id, c.id FROM o LEFT JOIN c ON c.id = o.cust AND c.credit >= (SELECT MIN(total) FROM o AS p WHERE p.cust = c.id) ORDER BY o.id;
-- A name of the outer query, unless the inner one has it.
SELECT id FROM c WHERE id IN (SELECT id FROM o);
SELECT id FROM c WHERE id IN (SELECT credit FROM o WHERE o.id = 10) ORDER BY id;
SELECT id FROM c WHERE EXISTS (SELECT 1 FROM o WHERE id = 12 AND cust = c.id);
-- Errors.
SELECT id FROM c WHERE id IN (SELECT id, cust FROM o);
SELECT (SELECT id, cust FROM o WHERE id = 10);
SELECT id FROM c WHERE id IN (SELECT city FROM c);
SELECT id FROM c WHERE EXISTS (SELECT nothing FROM o);
SELECT id FROM c WHERE id = (SELECT x.cust FROM o);
SELECT id FROM c WHERE id = SELECT 1;
CREATE TABLE some (id INT PRIMARY KEY, "case" INT);
INSERT INTO some VALUES (1, 2), (2, 3);
SELECT 1 WHERE EXISTS (SELECT FROM some) AND NOT EXISTS (SELECT FROM some WHERE id = 9);
SELECT id FROM some AS a WHERE EXISTS (SELECT FROM some AS b WHERE b.id > a.id);
SELECT id FROM some AS a WHERE NOT EXISTS (SELECT FROM some AS b WHERE b.id > a.id ORDER BY b.id LIMIT 1);
SELECT some.case FROM some WHERE some.case > 2;
DROP TABLE some;
