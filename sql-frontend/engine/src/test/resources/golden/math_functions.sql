-- Functions of numbers.
CREATE TABLE v (id INT PRIMARY KEY, i INT, d DECIMAL(8,3), f DOUBLE PRECISION);
INSERT INTO v VALUES (1, 7, 2.500, 2.5), (2, -7, -2.500, -2.5), (3, 0, 0, 0), (4, NULL, NULL, NULL), (5, 16, 2.449, 0.25);
SELECT id, abs(i), abs(d), abs(f) FROM v ORDER BY id;
SELECT id, ceil(d), floor(d), round(d), trunc(d) FROM v ORDER BY id;
SELECT id, ceil(f), floor(f), round(f), trunc(f) FROM v ORDER BY id;
SELECT id, ceil(i), floor(i), round(i), trunc(i) FROM v ORDER BY id;
SELECT id, sign(i), sign(d), sign(f) FROM v ORDER BY id;
SELECT id, round(d, 1), round(d, 2), trunc(d, 1), round(i, -1) FROM v ORDER BY id;
SELECT id, mod(i, 3), i % 3, mod(d, 2), mod(i, -3) FROM v ORDER BY id;
SELECT id, greatest(i, d, f), least(i, 3), greatest(i, 0) FROM v ORDER BY id;
-- Halves.
SELECT round(0.5), round(1.5), round(2.5), round(-0.5), round(-1.5);
SELECT round(0.5::DOUBLE PRECISION), round(1.5::DOUBLE PRECISION), round(2.5::DOUBLE PRECISION), round(-1.5::DOUBLE PRECISION);
SELECT round(2.345, 2), round(2.335, 2), round(-2.345, 2), round(1234.567, -2), round(1250, -2), round(99.99, 1), round(5, 2);
SELECT trunc(9.999, 2), trunc(-9.999, 1), trunc(1234.5, -2), trunc(5.5);
SELECT ceil(-0.5), ceiling(1.2), floor(-0.5), ceil(3), floor(3.0);
-- Powers and roots.
SELECT sqrt(16::DOUBLE PRECISION), sqrt(0.25::DOUBLE PRECISION), power(2::DOUBLE PRECISION, 10), power(2::DOUBLE PRECISION, -1), power(9::DOUBLE PRECISION, 0.5), power(-2::DOUBLE PRECISION, 3);
SELECT sqrt(16), sqrt(i) FROM v WHERE id = 5;
SELECT power(2, 3), power(2, 0), pow(3, 2), power(i, 2) FROM v WHERE id = 1;
SELECT round(sqrt(2.0), 6), round(power(1.5, 2), 4), round(sqrt(d), 4) FROM v WHERE id = 1;
SELECT power(0::DOUBLE PRECISION, 0), power(NULL, 2), sqrt(NULL::DOUBLE PRECISION);
SELECT sqrt(-1);
SELECT sqrt(-1.0);
SELECT power(0, -1);
SELECT power(-8::DOUBLE PRECISION, 0.5);
SELECT power(10::DOUBLE PRECISION, 400);
-- Rests.
SELECT mod(7, 3), mod(-7, 3), mod(7, -3), mod(7.5, 2), mod(1, 10), mod(10, 10);
SELECT mod(7, 0);
SELECT mod(7.5, 0);
SELECT mod(NULL, 0), mod(5::SMALLINT, 3::SMALLINT), mod(5000000000, 7);
-- Limits.
SELECT abs(-2147483648);
SELECT abs((-2147483647 - 1)::INT);
SELECT abs((-32768)::SMALLINT);
SELECT abs(-9223372036854775807), sign(-9223372036854775807), greatest(9223372036854775807, 1.5);
SELECT ceil(9223372036854775807.5), floor(-0.0001), round(0.0001, 3);
-- NULL
SELECT abs(NULL::INT), ceil(NULL::DECIMAL), round(NULL::DECIMAL, 2), mod(5, NULL), greatest(NULL, 1), least(NULL, 2, 1), sign(NULL::INT);
-- Types of the results.
SELECT round(i / 2.0, 1) AS a, i / 2 AS b, i / 2.0 > 3.4 AS c FROM v WHERE id = 1;
SELECT abs(-5) / 2, abs(-5.0) > 4, floor(7.9) / 2 > 3.4, ceil(7.1::DOUBLE PRECISION) / 16;
SELECT greatest(1, 2), greatest(1, 2.5), greatest('a', 'b'), least(DATE '2024-01-01', DATE '2023-01-01'), greatest(TRUE, FALSE), least(1.50, 1.5);
-- In conditions and groups.
SELECT id FROM v WHERE abs(i) = 7 ORDER BY id;
SELECT abs(i) AS a, COUNT(*) FROM v GROUP BY abs(i) ORDER BY a;
SELECT SUM(abs(i)), MAX(round(d)), SUM(sign(i)) FROM v;
UPDATE v SET d = round(d / 3, 2) WHERE id = 1;
SELECT d FROM v WHERE id = 1;
-- Errors.
SELECT abs('x');
SELECT abs('-5');
SELECT abs(TRUE);
SELECT round('x', 2);
SELECT round(1.5::DOUBLE PRECISION, 1);
SELECT mod(1.5::DOUBLE PRECISION, 1);
SELECT sqrt('four');
SELECT greatest();
SELECT greatest(1, DATE '2024-01-01');
SELECT round();
SELECT power(2);
-- Hyperbolic functions, and those of degrees.
SELECT round(asinh(1)::numeric, 10), round(acosh(2)::numeric, 10), round(atanh(0.5)::numeric, 10), round(asinh(-1e12)::numeric, 10), acosh(1), asinh(0), atanh(1), atanh(-1), asinh('-Infinity'), acosh('Infinity'), atanh('NaN');
SELECT acosh(0.5);
SELECT atanh(1.5);
SELECT sind(30), sind(-30), sind(150), sind(390), cosd(60), cosd(120), cosd(180), tand(45), tand(135), tand(0), cotd(45), cotd(90), asind(0.5), asind(-1), acosd(0.5), acosd(-0.5), atand(1), atand(-1), atan2d(1, 1), atan2d(-1, 0), sind('NaN');
SELECT sind('Infinity');
SELECT asind(2);
SELECT |/ 25.0, |/ 2.25, ||/ 8.0, @ -5, @ -5.25, @ (-7)::smallint, -(|/ 4);
SELECT |/ -1;
SELECT |/ 'x';
-- Scales and buckets.
SELECT scale(1.230), scale(5::numeric), min_scale(1.2300), min_scale(100), trim_scale(1.2300), trim_scale(100.00), trim_scale(0.000), min_scale(NULL::numeric);
SELECT width_bucket(5.35, 0.024, 10.06, 5), width_bucket(5.35::float, 0.024, 10.06, 5), width_bucket(-1, 0, 10, 5), width_bucket(10, 0, 10, 5), width_bucket(10, 10, 0, 5), width_bucket(0::float, 10, 0, 5), width_bucket('Infinity'::float, 0, 10, 5), width_bucket('-Infinity'::float, 10, 0, 5), width_bucket(9.99, 0, 10, 10);
SELECT width_bucket(1, 0, 0, 5);
SELECT width_bucket(1, 0, 10, 0);
SELECT width_bucket('NaN'::float, 0, 10, 5);
SELECT width_bucket(1::float, 0, 'Infinity', 5);
CREATE VIEW roots AS SELECT |/ f AS r, @ -i AS a, @ (@ i) AS b FROM v WHERE f >= 0;
SELECT * FROM roots ORDER BY r, a;
