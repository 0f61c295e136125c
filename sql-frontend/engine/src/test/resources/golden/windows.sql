-- Window functions.
CREATE TABLE pay (id INT PRIMARY KEY, dept TEXT, salary INT, born DATE, rate NUMERIC(8, 2), note DOUBLE PRECISION);
INSERT INTO pay VALUES
    (1, 'dev', 5200, '2007-08-01', 1.5, 0.5), (2, 'dev', 4200, '2008-01-01', 2.5, NULL), (3, 'dev', 4500, '2008-01-01', 0.25, 7),
    (4, 'dev', 6000, '2006-10-01', 3, 2), (5, 'dev', 5200, '2007-08-15', NULL, 3.25), (6, 'hr', 3900, '2006-12-23', 9, 1),
    (7, 'hr', 3500, '2007-12-10', 8, 1), (8, 'sales', 5000, '2006-10-01', 7.75, 2), (9, 'sales', 4800, '2007-08-01', 4, 5),
    (10, 'sales', 4800, '2007-08-08', 4, NULL), (11, NULL, NULL, NULL, NULL, NULL), (12, NULL, 10, '2020-01-01', 1, -1);
-- Numbers and ranks.
SELECT id, row_number() OVER (ORDER BY id DESC) FROM pay ORDER BY id;
SELECT id, dept, row_number() OVER (PARTITION BY dept ORDER BY salary, id) AS n FROM pay ORDER BY dept, n;
SELECT id, rank() OVER (PARTITION BY dept ORDER BY salary DESC), dense_rank() OVER (PARTITION BY dept ORDER BY salary DESC) FROM pay ORDER BY id;
SELECT id, percent_rank() OVER w, cume_dist() OVER w FROM pay WINDOW w AS (PARTITION BY dept ORDER BY salary) ORDER BY id;
SELECT id, ntile(3) OVER (ORDER BY id), ntile(5) OVER (PARTITION BY dept ORDER BY id), ntile(NULL) OVER (ORDER BY id) FROM pay ORDER BY id;
SELECT count(*) OVER (), rank() OVER () FROM pay WHERE id < 3 ORDER BY id;
-- Neighbours.
SELECT id, lag(salary) OVER (ORDER BY id), lead(salary) OVER (ORDER BY id) FROM pay ORDER BY id;
SELECT id, lag(salary, 2) OVER w, lead(salary, 2, -1) OVER w, lag(salary, 0) OVER w, lag(salary, -1) OVER w FROM pay WINDOW w AS (PARTITION BY dept ORDER BY id) ORDER BY id;
SELECT id, lag(dept, 1, 'none') OVER (ORDER BY id), lag(salary, NULL) OVER (ORDER BY id), lead(rate, 1, 7) OVER (ORDER BY id) FROM pay ORDER BY id;
SELECT id, first_value(salary) OVER w, last_value(salary) OVER w, nth_value(salary, 2) OVER w FROM pay WINDOW w AS (PARTITION BY dept ORDER BY salary) ORDER BY id;
SELECT id, first_value(salary) OVER w, last_value(salary) OVER w, nth_value(salary, 3) OVER w FROM pay WINDOW w AS (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) ORDER BY id;
-- Aggregates.
SELECT id, sum(salary) OVER (PARTITION BY dept) FROM pay ORDER BY id;
SELECT id, sum(salary) OVER (ORDER BY salary) FROM pay ORDER BY id;
SELECT id, sum(salary) OVER (ORDER BY salary, id), avg(rate) OVER (ORDER BY id), count(note) OVER (ORDER BY id) FROM pay ORDER BY id;
SELECT id, min(salary) OVER w, max(salary) OVER w, count(*) OVER w FROM pay WINDOW w AS (PARTITION BY dept ORDER BY id) ORDER BY id;
SELECT id, count(*) FILTER (WHERE salary > 4500) OVER (PARTITION BY dept) FROM pay ORDER BY id;
SELECT id, string_agg(dept, ',') OVER (ORDER BY id) FROM pay WHERE id > 4 ORDER BY id;
SELECT id, bool_and(salary > 4000) OVER (ORDER BY id), bool_or(salary > 5500) OVER (ORDER BY id) FROM pay ORDER BY id;
-- Frames.
SELECT id, sum(salary) OVER (ORDER BY id ROWS 1 PRECEDING) FROM pay ORDER BY id;
SELECT id, sum(salary) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM pay ORDER BY id;
SELECT id, sum(salary) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING) FROM pay ORDER BY id;
SELECT id, sum(salary) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) FROM pay ORDER BY id;
SELECT id, sum(salary) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM pay ORDER BY id;
SELECT id, count(*) OVER (ORDER BY id ROWS BETWEEN 2 FOLLOWING AND 1 FOLLOWING), count(*) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) FROM pay ORDER BY id;
SELECT id, count(*) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 9223372036854775807 FOLLOWING) FROM pay ORDER BY id;
SELECT id, salary, sum(salary) OVER (ORDER BY salary RANGE BETWEEN 500 PRECEDING AND CURRENT ROW) FROM pay ORDER BY id;
SELECT id, salary, sum(salary) OVER (ORDER BY salary DESC RANGE BETWEEN 500 PRECEDING AND 300 FOLLOWING) FROM pay ORDER BY id;
SELECT id, count(*) OVER (ORDER BY salary NULLS FIRST RANGE BETWEEN 100 FOLLOWING AND 1000 FOLLOWING) FROM pay ORDER BY id;
SELECT id, count(*) OVER (ORDER BY salary RANGE BETWEEN UNBOUNDED PRECEDING AND 500 PRECEDING), count(*) OVER (ORDER BY salary RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM pay ORDER BY id;
SELECT id, born, count(*) OVER (ORDER BY born RANGE BETWEEN INTERVAL '1 month' PRECEDING AND INTERVAL '10 days' FOLLOWING) FROM pay ORDER BY id;
SELECT id, sum(rate) OVER (ORDER BY rate RANGE BETWEEN 1.5 PRECEDING AND 0.5 FOLLOWING) FROM pay ORDER BY id;
SELECT id, sum(salary) OVER (ORDER BY dept GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM pay ORDER BY id;
SELECT id, sum(salary) OVER (ORDER BY dept GROUPS BETWEEN 1 FOLLOWING AND 2 FOLLOWING), count(*) OVER (ORDER BY dept GROUPS 0 PRECEDING) FROM pay ORDER BY id;
-- In expressions, over groups, in subqueries, in the order.
SELECT id, salary - avg(salary) OVER (PARTITION BY dept) > 0 AS above FROM pay ORDER BY id;
SELECT dept, sum(salary), rank() OVER (ORDER BY sum(salary) DESC), sum(sum(salary)) OVER (ORDER BY dept) FROM pay GROUP BY dept ORDER BY dept;
SELECT dept, count(*) AS n, row_number() OVER (ORDER BY count(*) DESC, dept) FROM pay GROUP BY dept HAVING count(*) > 1 ORDER BY 3;
SELECT id, dept, salary FROM (SELECT *, rank() OVER (PARTITION BY dept ORDER BY salary DESC) AS r FROM pay) AS best WHERE r = 1 ORDER BY id;
SELECT id FROM pay ORDER BY rank() OVER (ORDER BY salary), id LIMIT 4;
SELECT DISTINCT dept, count(*) OVER (PARTITION BY dept) FROM pay ORDER BY dept;
SELECT id, (SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY q.id) AS n FROM pay AS q WHERE q.dept = pay.dept) AS numbered) FROM pay ORDER BY id;
SELECT a.id, b.n FROM pay AS a JOIN (SELECT id, row_number() OVER (ORDER BY id DESC) AS n FROM pay) AS b ON a.id = b.n ORDER BY 1 LIMIT 3;
SELECT row_number() OVER (ORDER BY n) + 10 AS m, n FROM generate_series(5, 1, -2) AS g (n) ORDER BY n;
CREATE VIEW ranked AS SELECT id, sum(salary) FILTER (WHERE id > 2) OVER (PARTITION BY dept ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM pay;
SELECT * FROM ranked ORDER BY id;
INSERT INTO pay (id, salary) SELECT 100 + row_number() OVER (ORDER BY id), id FROM pay WHERE dept = 'hr';
SELECT id, salary FROM pay WHERE id > 100 ORDER BY id;
-- Names that are no keywords elsewhere.
SELECT range, groups, current, preceding, following, unbounded FROM (VALUES (1, 2, 3, 4, 5, 6)) AS v (range, groups, current, preceding, following, unbounded);
-- Errors.
SELECT rank() FROM pay;
SELECT lower(dept) OVER () FROM pay;
SELECT id FROM pay WHERE rank() OVER (ORDER BY id) = 1;
SELECT dept FROM pay GROUP BY dept HAVING rank() OVER (ORDER BY dept) = 1;
SELECT count(*) FROM pay GROUP BY rank() OVER (ORDER BY id);
SELECT sum(rank() OVER (ORDER BY id)) FROM pay;
SELECT rank() OVER (ORDER BY rank() OVER (ORDER BY id)) FROM pay;
SELECT count(DISTINCT dept) OVER () FROM pay;
SELECT rank() FILTER (WHERE id > 1) OVER (ORDER BY id) FROM pay;
SELECT rank() OVER nowhere FROM pay;
SELECT rank() OVER w FROM pay WINDOW w AS (ORDER BY id), w AS (ORDER BY dept);
SELECT row_number(1) OVER (ORDER BY id) FROM pay;
SELECT lag() OVER (ORDER BY id) FROM pay;
SELECT salary, rank() OVER (ORDER BY id) FROM pay GROUP BY dept;
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW) FROM pay;
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) FROM pay;
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED PRECEDING) FROM pay;
SELECT sum(id) OVER (ORDER BY id ROWS -1 PRECEDING) FROM pay;
SELECT sum(id) OVER (ORDER BY id ROWS NULL PRECEDING) FROM pay;
SELECT sum(id) OVER (ORDER BY id ROWS id PRECEDING) FROM pay;
SELECT sum(id) OVER (ORDER BY id RANGE -1 PRECEDING) FROM pay;
SELECT sum(id) OVER (RANGE 1 PRECEDING) FROM pay;
SELECT sum(id) OVER (GROUPS 1 PRECEDING) FROM pay;
SELECT ntile(0) OVER (ORDER BY id) FROM pay;
SELECT nth_value(id, 0) OVER (ORDER BY id) FROM pay;
SELECT rank() OVER (ORDER BY id) FROM pay FOR UPDATE;
UPDATE pay SET salary = rank() OVER (ORDER BY id);
-- Rows that are left out.
CREATE TABLE tie (id INT PRIMARY KEY, v INT, w INT);
INSERT INTO tie VALUES (1, 10, 1), (2, 10, 2), (3, 20, 4), (4, 20, 8), (5, 20, 16), (6, 30, 32), (7, NULL, 64);
SELECT id, sum(w) OVER (ORDER BY v ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) AS row, sum(w) OVER (ORDER BY v ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE GROUP) AS grp, sum(w) OVER (ORDER BY v ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES) AS ties, sum(w) OVER (ORDER BY v ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE NO OTHERS) AS none FROM tie ORDER BY id;
SELECT id, first_value(id) OVER (ORDER BY v, id ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING EXCLUDE CURRENT ROW) AS f, last_value(id) OVER (ORDER BY v, id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) AS l, nth_value(id, 2) OVER (ORDER BY v, id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) AS n FROM tie ORDER BY id;
SELECT id, count(*) OVER (ORDER BY v GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE GROUP) AS g, count(*) OVER (ORDER BY v RANGE BETWEEN 10 PRECEDING AND CURRENT ROW EXCLUDE TIES) AS t, first_value(w) OVER (ORDER BY v, id ROWS BETWEEN CURRENT ROW AND CURRENT ROW EXCLUDE CURRENT ROW) AS e FROM tie ORDER BY id;
SELECT id, array_agg(w) OVER (ORDER BY v, id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) AS a, row_number() OVER (ORDER BY v, id ROWS CURRENT ROW EXCLUDE GROUP) AS n FROM tie ORDER BY id;
SELECT sum(w) OVER (ORDER BY v ROWS CURRENT ROW EXCLUDE OTHERS) FROM tie;
SELECT exclude, ties, others FROM (VALUES (1, 2, 3)) AS v (exclude, ties, others);
CREATE VIEW tied AS SELECT id, sum(w) OVER (ORDER BY v ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES) AS s FROM tie;
SELECT id, s FROM tied ORDER BY id;
-- Offsets beyond all values of the type.
SELECT id, sum(w) OVER (ORDER BY v RANGE BETWEEN 2147483647 PRECEDING AND 2147483647 FOLLOWING) AS s FROM tie ORDER BY id;
SELECT id, sum(w) OVER (ORDER BY v NULLS FIRST RANGE 2147483647 PRECEDING) AS s FROM tie ORDER BY id;
SELECT x, count(*) OVER (ORDER BY x RANGE BETWEEN 5 PRECEDING AND 5 FOLLOWING) AS c, count(*) OVER (ORDER BY x RANGE BETWEEN 6 FOLLOWING AND 7 FOLLOWING) AS f, count(*) OVER (ORDER BY x DESC RANGE BETWEEN 7 PRECEDING AND 6 PRECEDING) AS p FROM (VALUES (2147483647), (2147483643), (-2147483648), (-2147483645), (0)) AS v (x) ORDER BY x;
