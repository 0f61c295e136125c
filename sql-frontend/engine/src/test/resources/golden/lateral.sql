-- Subqueries and functions in FROM that use the sources before them.
CREATE TABLE shop (id INT PRIMARY KEY, name TEXT, tags TEXT, most INT);
CREATE TABLE sale (id INT PRIMARY KEY, shop INT, day DATE, amount NUMERIC(10, 2));
CREATE INDEX sale_shop ON sale (shop);
INSERT INTO shop VALUES (1, 'north', 'a,b', 2), (2, 'south', 'b', 1), (3, 'west', NULL, 5), (4, 'east', '', 0);
INSERT INTO sale VALUES (1, 1, '2026-01-01', 10), (2, 1, '2026-01-02', 30), (3, 1, '2026-01-03', 20), (4, 2, '2026-01-01', 5), (5, 2, '2026-01-05', 7), (6, 4, '2026-01-06', 9);
-- The greatest of each.
SELECT s.name, x.id, x.amount FROM shop s, LATERAL (SELECT id, amount FROM sale WHERE shop = s.id ORDER BY amount DESC LIMIT 1) x ORDER BY s.id;
SELECT s.name, x.id FROM shop s CROSS JOIN LATERAL (SELECT id FROM sale WHERE shop = s.id ORDER BY day DESC LIMIT 2) x ORDER BY s.id, x.id;
SELECT s.name, x.id, x.amount FROM shop s LEFT JOIN LATERAL (SELECT id, amount FROM sale WHERE shop = s.id ORDER BY amount DESC LIMIT 1) AS x ON true ORDER BY s.id;
SELECT s.name, x.id FROM shop s LEFT JOIN LATERAL (SELECT id, amount FROM sale WHERE shop = s.id ORDER BY id LIMIT 1) x ON x.amount > 6 ORDER BY s.id;
SELECT s.name, x.n, x.total FROM shop s JOIN LATERAL (SELECT count(*) AS n, sum(amount) AS total FROM sale WHERE shop = s.id) x ON x.n > 0 ORDER BY s.id;
SELECT s.name, x.n FROM shop s, LATERAL (SELECT count(*) AS n FROM sale WHERE shop = s.id) x WHERE x.n = 0 ORDER BY s.id;
SELECT s.id, y.twice FROM shop s, LATERAL (SELECT s.most * 2) AS y (twice) WHERE y.twice > 2 AND s.id < 4 ORDER BY 1;
SELECT s.id, x.id FROM shop s, LATERAL (SELECT id FROM sale WHERE shop = s.id ORDER BY id LIMIT s.most) x ORDER BY 1, 2;
SELECT s.id, x.* FROM shop s, LATERAL (VALUES (s.id + 1, s.name), (0, 'none')) x (n, t) WHERE s.id < 3 ORDER BY 1, 2;
SELECT s.id, x.v FROM shop s, LATERAL (SELECT s.id AS v UNION ALL SELECT s.most) x ORDER BY 1, 2;
-- One after the other.
SELECT s.id, a.x, b.y FROM shop s, LATERAL (SELECT s.id * 10) a (x), LATERAL (SELECT a.x + s.most) b (y) ORDER BY 1;
SELECT s.id, a.x, b.y FROM shop s, LATERAL (SELECT s.id * 10) a (x) JOIN LATERAL (SELECT a.x + s.most) b (y) ON b.y > 12 ORDER BY 1;
SELECT s.id, o.id, x.d FROM shop s JOIN sale o ON o.shop = s.id CROSS JOIN LATERAL (SELECT o.day - date '2026-01-01' + s.id) x (d) ORDER BY 2;
SELECT s.id, (SELECT max(x.v) FROM sale o, LATERAL (SELECT o.amount + s.most) x (v) WHERE o.shop = s.id) FROM shop s ORDER BY 1;
SELECT s.id FROM shop s WHERE EXISTS (SELECT 1 FROM sale o, LATERAL (SELECT o.amount * s.most AS v) x WHERE o.shop = s.id AND x.v > 20) ORDER BY 1;
SELECT count(*) FROM sale o JOIN shop s ON s.id = o.shop, LATERAL (SELECT 1 WHERE o.amount > s.most * 4) x;
SELECT s.id, x.n FROM shop s, LATERAL (SELECT count(*) AS n FROM sale WHERE shop = s.id AND EXISTS (SELECT 1 FROM shop z WHERE z.id = s.id AND z.most < 5)) x ORDER BY 1;
SELECT s.id, x.c FROM shop s, LATERAL (WITH w AS (SELECT amount FROM sale WHERE shop = s.id) SELECT count(*) AS c FROM w WHERE amount > 6) x ORDER BY 1;
-- Functions.
SELECT s.id, u FROM shop s, unnest(string_to_array(s.tags, ',')) u ORDER BY 1, 2;
SELECT s.id, u.tag, u.n FROM shop s LEFT JOIN unnest(string_to_array(s.tags, ',')) WITH ORDINALITY AS u (tag, n) ON true ORDER BY 1, 3;
SELECT s.id, g FROM shop s, generate_series(1, s.most) g ORDER BY 1, 2;
SELECT s.id, g FROM shop s LEFT JOIN LATERAL generate_series(1, s.most) g ON g > 1 ORDER BY 1, 2;
SELECT s.id, x FROM shop s, upper(s.name) x ORDER BY 1;
SELECT s.name, count(u) FROM shop s LEFT JOIN unnest(string_to_array(s.tags, ',')) u ON true GROUP BY s.name ORDER BY 1;
SELECT s.id FROM shop s WHERE 'b' IN (SELECT u FROM unnest(string_to_array(s.tags, ',')) u) ORDER BY 1;
SELECT s.id, (SELECT count(*) FROM unnest(string_to_array(s.tags, ','))) FROM shop s ORDER BY 1;
SELECT a.i, b.j FROM generate_series(1, 3) a (i), generate_series(a.i, 3) b (j) ORDER BY 1, 2;
SELECT s.id, o.id, g FROM shop s, sale o JOIN generate_series(1, 2) g ON g <= o.amount WHERE o.shop = s.id AND s.id = 2 ORDER BY 2, 3;
SELECT s.id, o.id, g FROM shop s, sale o JOIN LATERAL generate_series(1, s.most) g ON true WHERE o.shop = s.id AND s.id < 3 ORDER BY 2, 3;
-- Not allowed.
SELECT * FROM shop s, (SELECT s.id) x;
SELECT * FROM shop s RIGHT JOIN LATERAL (SELECT s.id) x ON true;
SELECT * FROM shop s FULL JOIN LATERAL (SELECT s.id) x ON true;
SELECT * FROM LATERAL (SELECT s.id) x, shop s;
SELECT * FROM shop s, LATERAL (SELECT s.nothing) x;
SELECT * FROM shop s, LATERAL (SELECT nothing) x;
SELECT * FROM shop s, LATERAL (SELECT id FROM sale) s;
SELECT * FROM shop s, unnest(s.id) u;
-- In changes and views.
UPDATE sale SET amount = amount + x.v FROM shop s CROSS JOIN LATERAL (SELECT s.most * 100) x (v) WHERE sale.shop = s.id AND s.id = 2;
SELECT id, amount FROM sale ORDER BY id;
DELETE FROM sale USING shop s, LATERAL (SELECT s.id AS v WHERE s.most = 0) x WHERE sale.shop = x.v RETURNING sale.id;
CREATE VIEW best AS SELECT s.name, x.id FROM shop s LEFT JOIN LATERAL (SELECT id FROM sale WHERE shop = s.id ORDER BY amount DESC LIMIT 1) x ON true;
SELECT * FROM best ORDER BY name;
CREATE VIEW tag AS SELECT s.id, u FROM shop s, unnest(string_to_array(s.tags, ',')) u;
SELECT * FROM tag ORDER BY 1, 2;
SELECT s.id, x.id FROM shop s, LATERAL (SELECT id FROM sale WHERE shop = s.id) x ORDER BY 2 LIMIT 3 OFFSET 1;
