-- GROUP BY and HAVING.
CREATE TABLE trip (id INT PRIMARY KEY, bus INT, day DATE, line CHAR(2), riders INT, fare DECIMAL(6,2));
INSERT INTO trip VALUES (1, 1, '2024-01-01', 'A', 10, 20.00), (2, 1, '2024-01-01', 'B', 20, 45.50), (3, 2, '2024-01-01', 'A', NULL, NULL), (4, 2, '2024-01-02', 'A', 5, 9.99), (5, NULL, '2024-01-02', NULL, 7, 14.00), (6, NULL, '2024-01-03', 'B', 20, 0.01), (7, 3, '2024-01-03', 'C', 0, 0);
SELECT bus, COUNT(*) FROM trip GROUP BY bus ORDER BY bus;
SELECT bus, COUNT(*), COUNT(riders), SUM(riders), MIN(fare), MAX(fare) FROM trip GROUP BY bus ORDER BY bus NULLS FIRST;
SELECT line, SUM(fare) AS total FROM trip GROUP BY line ORDER BY total DESC NULLS LAST;
SELECT bus, day, COUNT(*) FROM trip GROUP BY bus, day ORDER BY bus, day;
SELECT day FROM trip GROUP BY day ORDER BY day DESC;
SELECT COUNT(*) FROM trip GROUP BY line ORDER BY line;
SELECT riders / 10 AS tens, COUNT(*) FROM trip GROUP BY riders / 10 ORDER BY tens;
SELECT riders / 10 AS tens, COUNT(*) FROM trip GROUP BY tens ORDER BY tens;
SELECT line, day, SUM(riders) FROM trip GROUP BY 1, 2 ORDER BY 1, 2;
SELECT EXTRACT(DAY FROM day) AS d, SUM(riders) FROM trip GROUP BY EXTRACT(DAY FROM day) ORDER BY d;
SELECT bus * 2 AS twice, SUM(riders) + 1 AS more FROM trip GROUP BY bus ORDER BY bus;
SELECT SUM(riders * 2) + COUNT(*) AS n, line FROM trip GROUP BY line ORDER BY line;
SELECT riders, riders + COUNT(*) AS n FROM trip GROUP BY riders ORDER BY riders;
SELECT bus IS NULL AS lost, COUNT(*) FROM trip GROUP BY bus IS NULL ORDER BY lost;
SELECT CASE WHEN riders > 9 THEN 'many' ELSE 'few' END AS size, COUNT(*) FROM trip GROUP BY size ORDER BY size;
-- WHERE comes before, HAVING after.
SELECT bus, COUNT(*) FROM trip WHERE riders > 5 GROUP BY bus ORDER BY bus;
SELECT bus, COUNT(*) FROM trip GROUP BY bus HAVING COUNT(*) > 1 ORDER BY bus;
SELECT line FROM trip GROUP BY line HAVING SUM(fare) > 20 ORDER BY line;
SELECT bus, SUM(riders) FROM trip GROUP BY bus HAVING bus > 1 ORDER BY bus;
SELECT bus, SUM(riders) FROM trip WHERE day < '2024-01-03' GROUP BY bus HAVING SUM(riders) IS NOT NULL AND MAX(fare) < 40 ORDER BY bus;
SELECT day, AVG(riders)::DECIMAL(6,2) AS mean FROM trip GROUP BY day HAVING AVG(riders) >= 6 ORDER BY day;
SELECT line, COUNT(*) FROM trip WHERE FALSE GROUP BY line;
SELECT COUNT(*) FROM trip HAVING COUNT(*) > 100;
SELECT COUNT(*) FROM trip HAVING COUNT(*) < 100;
SELECT 'one' AS x FROM trip HAVING TRUE;
SELECT line FROM trip GROUP BY line HAVING line = 'A' OR line IS NULL ORDER BY line;
SELECT day, COUNT(*) AS n FROM trip GROUP BY day ORDER BY COUNT(*) DESC, day LIMIT 2;
SELECT bus FROM trip GROUP BY bus ORDER BY SUM(riders) NULLS FIRST, bus;
SELECT DISTINCT COUNT(*) FROM trip GROUP BY bus ORDER BY 1;
-- The key of a table determines its columns.
SELECT id, line, COUNT(*) FROM trip GROUP BY id HAVING id < 3 ORDER BY id;
-- Joins.
SELECT a.line, COUNT(*) FROM trip a JOIN trip b ON a.line = b.line AND a.id < b.id GROUP BY a.line ORDER BY a.line;
SELECT t.line, COUNT(DISTINCT t.bus) AS buses, SUM(t.riders) FROM trip AS t GROUP BY t.line ORDER BY t.line;
-- Errors.
SELECT bus, riders FROM trip GROUP BY bus;
SELECT bus, COUNT(*) FROM trip;
SELECT * FROM trip GROUP BY bus;
SELECT bus FROM trip GROUP BY bus ORDER BY riders;
SELECT bus FROM trip GROUP BY bus HAVING riders > 1;
SELECT bus FROM trip GROUP BY COUNT(*);
SELECT COUNT(COUNT(*)) FROM trip;
SELECT SUM(MAX(riders)) FROM trip GROUP BY bus;
SELECT bus FROM trip GROUP BY 2;
SELECT bus FROM trip GROUP BY nothing;
SELECT bus AS n FROM trip GROUP BY bus HAVING n > 1;
SELECT riders + 1 FROM trip GROUP BY riders + 2;
SELECT bus FROM trip GROUP BY bus HAVING COUNT(*);
