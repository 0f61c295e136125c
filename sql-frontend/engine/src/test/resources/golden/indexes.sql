-- Indexes change no answer: the same queries before and after.
CREATE TABLE stars (id INT PRIMARY KEY, name VARCHAR(12), mag DECIMAL(4,2), class CHAR(1), seen DATE);
INSERT INTO stars VALUES
    (1, 'Sirius', -1.46, 'A', '2020-01-01'), (2, 'Vega', 0.03, 'A', '2020-06-01'), (3, 'Rigel', 0.13, 'B', NULL),
    (4, 'Betelgeuse', 0.50, 'M', '2021-02-02'), (5, 'Spica', 0.97, 'B', '2019-05-05'), (6, 'Antares', 0.60, 'M', '2021-02-02'),
    (7, 'Unnamed', NULL, NULL, NULL);
SELECT name FROM stars WHERE class = 'A' ORDER BY name;
SELECT name FROM stars WHERE mag > 0.1 AND mag <= 0.6 ORDER BY mag;
CREATE INDEX stars_class ON stars USING HASH (class);
CREATE INDEX stars_mag ON stars USING BTREE (mag);
CREATE INDEX stars_seen_mag ON stars (seen, mag);
SELECT name FROM stars WHERE class = 'A' ORDER BY name;
SELECT name FROM stars WHERE class IS NULL;
SELECT name FROM stars WHERE class IN ('B', 'M') ORDER BY name;
SELECT name FROM stars WHERE mag > 0.1 AND mag <= 0.6 ORDER BY mag;
SELECT name FROM stars WHERE mag BETWEEN -5 AND 0.03 ORDER BY mag;
SELECT name FROM stars WHERE mag < 0;
SELECT name FROM stars WHERE mag >= 0.60 ORDER BY mag DESC;
SELECT name FROM stars WHERE mag IS NULL;
SELECT name, mag FROM stars ORDER BY mag;
SELECT name, mag FROM stars ORDER BY mag DESC LIMIT 3;
SELECT MIN(mag), MAX(mag) FROM stars;
SELECT name FROM stars WHERE seen = '2021-02-02' AND mag > 0.55;
SELECT name FROM stars WHERE seen = '2021-02-02' ORDER BY mag DESC;
SELECT name FROM stars WHERE seen < '2020-06-01' ORDER BY seen;
-- They follow changes.
UPDATE stars SET class = 'A', mag = 9.99 WHERE id = 3;
SELECT name FROM stars WHERE class = 'A' ORDER BY name;
SELECT name FROM stars WHERE mag > 1;
SELECT name FROM stars WHERE class = 'B';
DELETE FROM stars WHERE class = 'M';
SELECT name FROM stars WHERE mag BETWEEN 0.4 AND 0.7;
SELECT name FROM stars WHERE class = 'M';
INSERT INTO stars VALUES (8, 'Deneb', 1.25, 'A', '2022-02-02');
SELECT name FROM stars WHERE mag = 1.25 AND class = 'A';
UPDATE stars SET mag = mag + 1;
SELECT id, mag FROM stars ORDER BY mag, id;
-- Unique indexes.
CREATE UNIQUE INDEX stars_name ON stars (name);
INSERT INTO stars VALUES (9, 'Vega', 1, 'A', NULL);
INSERT INTO stars (id, name) VALUES (9, NULL), (10, NULL);
UPDATE stars SET name = 'Sirius' WHERE id = 2;
SELECT id FROM stars WHERE name = 'Vega';
CREATE UNIQUE INDEX stars_class_unique ON stars (class);
CREATE UNIQUE INDEX stars_pair ON stars (class, mag);
INSERT INTO stars VALUES (11, 'Altair', 1.03, 'A', NULL);
INSERT INTO stars VALUES (11, 'Altair', 1.04, 'A', NULL);
-- Names.
CREATE INDEX stars_mag ON stars (mag);
CREATE INDEX IF NOT EXISTS stars_mag ON stars (mag);
CREATE INDEX stars_none ON stars (nothing);
CREATE INDEX nowhere_a ON nowhere (a);
CREATE INDEX stars_odd ON stars USING FOREST (mag);
DROP INDEX stars_name;
INSERT INTO stars VALUES (12, 'Vega', 5, 'X', NULL);
DROP INDEX stars_name;
DROP INDEX IF EXISTS stars_name;
DROP INDEX stars_mag, stars_class;
SELECT name FROM stars WHERE mag > 5 ORDER BY mag;
DROP TABLE stars;
DROP INDEX stars_pair;
CREATE TABLE no_index (id INT PRIMARY KEY);
DROP INDEX no_index;
DROP INDEX IF EXISTS no_index;
DROP TABLE no_index;
