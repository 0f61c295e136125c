-- A column of a subquery is evaluated once for each of its rows, however often it is used above.
CREATE TABLE num (id INT PRIMARY KEY);
INSERT INTO num VALUES (1), (2), (3), (4), (5);
SELECT count(*) FROM (SELECT random() AS r FROM num) t WHERE r = r;
SELECT count(*) FROM (SELECT random() AS r FROM num) t WHERE r + r = 2 * r;
SELECT count(*) FROM (SELECT random() AS r FROM generate_series(1, 1000)) t WHERE r < 0.5 AND r >= 0.5;
SELECT count(*) FROM (SELECT random() AS r FROM generate_series(1, 1000)) t WHERE NOT (r < 0.5 OR r >= 0.5);
SELECT count(*) FROM (SELECT r AS a, r AS b FROM (SELECT random() AS r FROM num) t) u WHERE a = b;
SELECT count(*) FROM (SELECT r AS a, 2 * r AS b FROM (SELECT random() AS r FROM num) t) u WHERE a < b AND a + a = b;
SELECT bool_and(a = b) FROM (SELECT r AS a, r AS b FROM (SELECT random() AS r) t) u;
SELECT count(*) FROM (SELECT gen_random_uuid() AS u FROM num) t WHERE u = u;
-- but for each row anew
SELECT count(DISTINCT r) FROM (SELECT random() AS r FROM num) t;
SELECT count(DISTINCT u) FROM (SELECT gen_random_uuid() AS u FROM num) t;
SELECT count(*) FROM (SELECT random() AS a, random() AS b FROM num) t WHERE a <> b;

-- Joined, sorted, cut, grouped, combined.
SELECT count(*) FROM num n JOIN (SELECT id, random() AS r FROM num) t ON t.id = n.id WHERE t.r = t.r;
SELECT count(*) FROM num n LEFT JOIN (SELECT id, random() AS r FROM num) t ON t.id = n.id WHERE t.r = t.r;
SELECT count(*) FROM num n JOIN (SELECT id, random() AS r FROM num) t ON t.id = n.id AND t.r >= 0 AND t.r < 1;
SELECT count(*) FROM (SELECT random() AS r FROM num) a JOIN (SELECT random() AS r FROM num) b ON a.r = b.r;
SELECT count(*) FROM (SELECT r, r AS s FROM (SELECT random() AS r FROM num) t ORDER BY r LIMIT 3) u WHERE r = s;
SELECT count(*) FROM (SELECT random() AS r FROM num LIMIT 3) t WHERE r >= 0 AND r < 1;
SELECT count(*) FROM (SELECT DISTINCT r, r AS s FROM (SELECT random() AS r FROM num) t) u WHERE r = s;
SELECT count(*) FROM (SELECT r FROM (SELECT random() AS r FROM num) t GROUP BY r HAVING min(r) = max(r)) u;
SELECT count(*), sum(CASE WHEN lo = hi THEN 1 ELSE 0 END) FROM (SELECT id, min(r) AS lo, max(r) AS hi FROM (SELECT id, random() AS r FROM num) t GROUP BY id) u;
SELECT count(*) FROM (SELECT random() AS r FROM num UNION ALL SELECT random() FROM num) t WHERE r = r;
SELECT count(*) FROM (SELECT random() AS r FROM num) t WHERE EXISTS (SELECT 1 FROM num WHERE t.r = t.r);
SELECT count(*) FROM (SELECT random() AS r FROM num) t WHERE r IN (SELECT t.r);

-- A subquery that uses nothing of the query around it is evaluated once; one that does, for each row.
SELECT count(DISTINCT (SELECT random())) FROM num;
SELECT count(DISTINCT x) FROM (SELECT (SELECT random()) AS x FROM num) t;
SELECT count(DISTINCT (SELECT random() + 0 * num.id)) FROM num;

-- What is changed gets one value, too.
CREATE TABLE pair (id INT PRIMARY KEY, a DOUBLE PRECISION, b DOUBLE PRECISION);
INSERT INTO pair SELECT id, r, r FROM (SELECT id, random() AS r FROM num) t;
SELECT count(*) FROM pair WHERE a = b;
UPDATE pair SET a = t.r, b = t.r FROM (SELECT id, random() + 1 AS r FROM num) t WHERE t.id = pair.id;
SELECT count(*), count(DISTINCT a) FROM pair WHERE a = b AND a >= 1;
INSERT INTO pair SELECT id, r, r FROM (SELECT id, random() + 2 AS r FROM num) t ON CONFLICT (id) DO UPDATE SET a = excluded.a, b = excluded.b;
SELECT count(*), count(DISTINCT a) FROM pair WHERE a = b AND a >= 2;
DROP TABLE pair;
DROP TABLE num;
