-- An aggregate belongs to the nearest query whose columns it uses, wherever it is written.
CREATE TABLE a (id INT PRIMARY KEY, x INT, s TEXT);
CREATE TABLE b (id INT PRIMARY KEY, y INT);
INSERT INTO a VALUES (1, 10, 'p'), (2, 20, 'q'), (3, 20, NULL);
INSERT INTO b VALUES (1, 5), (2, 6);

SELECT (SELECT sum(a.x)) FROM a;
SELECT (SELECT max(a.x) FROM b WHERE b.id = 1) FROM a;
SELECT (SELECT count(a.x) FROM b) FROM a;
SELECT (SELECT sum(a.x) + max(b.y) FROM b) FROM a;
SELECT (SELECT sum(a.x + b.y) FROM b) AS both_levels FROM a ORDER BY 1;
SELECT (SELECT sum(y) FROM b) AS own, (SELECT count(*) FROM b WHERE b.id < a.id) AS below FROM a ORDER BY 2;
SELECT (SELECT count(*)) FROM a;
SELECT (SELECT sum(1)) FROM a;

-- grouped
SELECT x, (SELECT max(a.id)) FROM a GROUP BY x ORDER BY x;
SELECT x, (SELECT max(a.id) FROM b WHERE b.id = 1) AS m FROM a GROUP BY x ORDER BY m DESC;
SELECT x, (SELECT count(*) FROM b WHERE b.id <= count(a.id)) AS n FROM a GROUP BY x ORDER BY x;
SELECT x FROM a GROUP BY x HAVING EXISTS (SELECT 1 FROM b WHERE b.id = count(a.id)) ORDER BY x;
SELECT x FROM a GROUP BY x HAVING count(*) IN (SELECT b.id FROM b WHERE b.y > sum(a.id)) ORDER BY x;
SELECT x FROM a GROUP BY x HAVING (SELECT min(b.y) FROM b WHERE b.id = count(a.s)) = 5 ORDER BY x;
SELECT x FROM a GROUP BY x ORDER BY (SELECT -max(a.id)), x;
SELECT x FROM a GROUP BY x ORDER BY (SELECT max(b.y) FROM b WHERE b.id <= count(a.id)) DESC, x;
SELECT max(id), (SELECT count(*) FROM b WHERE b.id < max(a.id)) FROM a;
SELECT x FROM a GROUP BY x HAVING sum(id) > ANY (SELECT y - max(a.id) FROM b) ORDER BY x;
SELECT x FROM a GROUP BY x HAVING max(a.id) = ANY (SELECT b.id FROM b) ORDER BY x;
SELECT x, CASE WHEN EXISTS (SELECT 1 FROM b WHERE b.id = min(a.id)) THEN 'there' ELSE 'not' END FROM a GROUP BY x ORDER BY x;

-- deeper
SELECT (SELECT (SELECT sum(a.x))) FROM a;
SELECT (SELECT (SELECT sum(a.x) FROM b b2 WHERE b2.id = b.id) FROM b WHERE b.id = 1) FROM a;
SELECT (SELECT (SELECT sum(b.y)) FROM b) FROM a ORDER BY 1;
SELECT (SELECT (SELECT sum(b.y + a.id)) FROM b) FROM a ORDER BY 1;
SELECT x, (SELECT max(b.y) FROM b WHERE EXISTS (SELECT 1 FROM b c WHERE c.id = b.id AND c.id = count(a.id))) FROM a GROUP BY x ORDER BY x;
SELECT (SELECT t.v FROM (SELECT sum(a.x) AS v) AS t) FROM a;
SELECT (SELECT t.v FROM (SELECT max(a.x) AS v FROM b WHERE b.id = 1 UNION ALL SELECT 0 WHERE FALSE) AS t) FROM a;
SELECT (VALUES (max(a.x))) FROM a;
SELECT x, (SELECT i FROM generate_series(1, max(a.id)) AS g (i) ORDER BY i DESC LIMIT 1) FROM a GROUP BY x ORDER BY x;
SELECT x, (SELECT b.id FROM b ORDER BY id LIMIT max(a.id) - 1) FROM a GROUP BY x HAVING x = 10;

-- an aggregate of both: the subquery in the argument gives its aggregate to the query around
SELECT (SELECT max(b.y + (SELECT sum(a.x))) FROM b) FROM a;
SELECT (SELECT sum(b.y) + sum((SELECT max(c.y) FROM b c WHERE c.id = b.id)) FROM b) FROM a ORDER BY 1;
SELECT sum((SELECT max(b.y) FROM b WHERE b.id = a.id)) FROM a;
SELECT sum((SELECT b.y FROM b WHERE b.id = a.id)) FILTER (WHERE EXISTS (SELECT 1 FROM b WHERE b.id = a.id AND b.y > 5)) FROM a;

-- FILTER, DISTINCT and ORDER BY in the aggregate
SELECT (SELECT count(DISTINCT a.x)) FROM a;
SELECT (SELECT count(DISTINCT a.x) FROM b WHERE b.id = 2) FROM a;
SELECT (SELECT count(*) FILTER (WHERE a.x > 10) FROM b WHERE b.id = 2) FROM a;
SELECT (SELECT sum(a.id) FILTER (WHERE a.x > 10)) FROM a;
SELECT (SELECT sum(a.id) FILTER (WHERE b.id = 1) FROM b) AS f FROM a ORDER BY 1;
SELECT (SELECT string_agg(a.s, ',' ORDER BY a.id DESC)) FROM a;
SELECT (SELECT string_agg(a.s, ',' ORDER BY b.id) FROM b) AS s FROM a ORDER BY 1;
SELECT x, (SELECT count(a.s) FROM b WHERE b.y = 5) + (SELECT count(a.s) FROM b WHERE b.y = 6) AS n, count(s) FROM a GROUP BY x ORDER BY x;

-- joins and derived tables outside
SELECT (SELECT sum(t.v)) FROM (SELECT x AS v FROM a) AS t;
SELECT id, (SELECT max(y)) FROM a JOIN b USING (id) GROUP BY id ORDER BY id;
SELECT (SELECT max(id)) FROM a FULL JOIN b USING (id);
SELECT * FROM (SELECT x, (SELECT count(a.id)) AS n FROM a GROUP BY x) AS t ORDER BY x;

-- where PostgreSQL refuses it
SELECT 1 FROM a WHERE a.id = (SELECT max(a.id));
SELECT id FROM a WHERE EXISTS (SELECT 1 FROM b HAVING count(a.id) > 0);
SELECT id FROM a ORDER BY (SELECT max(a.x));
SELECT id, (SELECT max(a.x)) FROM a;
SELECT (SELECT a.x) FROM a GROUP BY id HAVING max(x) > 0 ORDER BY id;
SELECT s FROM a GROUP BY s, (SELECT max(a.x));
SELECT 1 FROM a JOIN b ON a.id = (SELECT max(b.id));
SELECT (SELECT 1 FROM b WHERE b.id = max(b.y)) FROM a;
SELECT max((SELECT max(a.x))) FROM a;
SELECT (SELECT max(sum(a.x)) FROM b) FROM a;
SELECT max(sum(x)) FROM a;
SELECT sum((SELECT max(a.x + b.y) FROM b)) FROM a;
SELECT (SELECT x FROM b GROUP BY max(a.x)) FROM a;
UPDATE a SET x = (SELECT max(a.x));
UPDATE a SET x = 1 WHERE id = (SELECT max(a.id));
DELETE FROM a WHERE id = (SELECT max(a.id) FROM b);
INSERT INTO a VALUES (9, 9, 'z') RETURNING (SELECT max(a.x));
DROP TABLE a;
DROP TABLE b;
