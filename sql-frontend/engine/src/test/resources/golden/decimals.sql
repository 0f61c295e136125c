-- DECIMAL is exact: scale, rounding, division.
CREATE TABLE money (id INT PRIMARY KEY, a DECIMAL(10,2), b DECIMAL(18,6), c DECIMAL(4,0));
INSERT INTO money VALUES (1, 10.50, 3.141593, 42), (2, -0.01, 0.000001, -7), (3, NULL, NULL, NULL), (4, 99999999.99, 999999999999.999999, 9999);
SELECT * FROM money ORDER BY id;
-- More digits than the scale are rounded, half away from zero.
INSERT INTO money VALUES (5, 1.005, 1.0000005, 2.5), (6, -1.005, -1.0000005, -2.5), (7, 1.0049, 1.00000049, 2.49);
SELECT * FROM money WHERE id BETWEEN 5 AND 7 ORDER BY id;
INSERT INTO money VALUES (8, 100000000, 0, 0);
INSERT INTO money VALUES (8, 99999999.995, 0, 0);
INSERT INTO money VALUES (8, 0, 0, 10000);
UPDATE money SET c = c * 10 WHERE id = 4;
SELECT 0.1 + 0.2, 0.1 + 0.2 = 0.3;
SELECT 1.10 + 2.205, 1.10 - 2.205, 1.10 * 2.205;
SELECT a + 1, a - 0.005, a * 3 FROM money WHERE id = 1;
SELECT a * a, a + b FROM money WHERE id = 1;
SELECT a * b FROM money WHERE id = 2;
SELECT -a, +a, - (-a) FROM money WHERE id = 2;
SELECT a + c, c / 2 FROM money WHERE id = 1;
SELECT 6.0 / 2, 10.0 / 4, 1.0 / 8;
SELECT round(1.0 / 3, 4), round(2 / 3.0, 4), round(-10.0 / 3, 2);
SELECT 1.5 / 0;
SELECT a / 0.00 FROM money WHERE id = 1;
SELECT 7.5 % 2, -7.5 % 2, 7.5 % -2;
SELECT 7.5 % 0;
SELECT 1.50 = 1.5, 1.5 < 1.51, 2 = 2.000, -0.00 = 0;
SELECT id FROM money WHERE a = 10.5;
SELECT id FROM money WHERE a > b ORDER BY id;
SELECT id FROM money WHERE c > 41.9 ORDER BY id;
SELECT a IS NULL, a + 1 IS NULL FROM money WHERE id = 3;
-- Casts.
SELECT 1.5::INT, 2.5::INT, -1.5::INT, (-1.5)::INT, 1.4999::INT;
SELECT 12.345::DECIMAL(5,2), 12.345::DECIMAL(5,1), 12.345::DECIMAL(5,0), 12::DECIMAL(6,3);
SELECT 123.4::DECIMAL(4,2);
SELECT '12.50'::DECIMAL(6,2), '  -3 '::DECIMAL(6,1), '1e3'::DECIMAL(6,1);
SELECT 'abc'::DECIMAL(6,2);
SELECT 3000000000.5::INT;
SELECT CAST(7 AS DECIMAL(5,2)) / 2 > 3.49;
-- Rounding functions.
SELECT round(2.5), round(-2.5), round(2.345, 2), round(1234.5, -2), round(7.1, 3);
SELECT trunc(2.99), trunc(-2.99), trunc(2.999, 2), ceil(2.01), floor(-2.01), abs(-2.50), sign(-2.5);
-- Sums and averages.
SELECT SUM(a), MIN(a), MAX(a), COUNT(a) FROM money WHERE id < 4;
SELECT round(AVG(a), 4), round(AVG(c), 2) FROM money WHERE id < 4;
SELECT SUM(b) FROM money;
SELECT SUM(a * c) FROM money WHERE id < 4;
SELECT a, COUNT(*) FROM (SELECT 1.50 AS a UNION ALL SELECT 1.50 UNION ALL SELECT 2.50) AS t GROUP BY a ORDER BY a;
UPDATE money SET a = a * 1.1 WHERE id = 1;
SELECT a FROM money WHERE id = 1;
UPDATE money SET a = a / 3 WHERE id = 1;
SELECT a FROM money WHERE id = 1;
SELECT .5, 5., 1e2, 1.5e-3;
