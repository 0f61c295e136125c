-- TRUNCATE empties tables and leaves their definitions.
CREATE TABLE parcels (id INT PRIMARY KEY, label VARCHAR(10) UNIQUE, weight DECIMAL(6,2));
CREATE INDEX parcels_weight ON parcels USING BTREE (weight);
INSERT INTO parcels VALUES (1, 'red', 1.50), (2, 'blue', 20.00), (3, 'green', 0.75);
SELECT COUNT(*), SUM(weight) FROM parcels;
TRUNCATE parcels;
SELECT * FROM parcels;
SELECT COUNT(*) FROM parcels WHERE weight > 1;
-- Keys that were used before are free again.
INSERT INTO parcels VALUES (1, 'red', 7.25), (2, 'red2', NULL);
SELECT * FROM parcels ORDER BY id;
INSERT INTO parcels VALUES (1, 'other', 0);
SELECT id FROM parcels WHERE weight BETWEEN 7 AND 8;
TRUNCATE TABLE parcels;
TRUNCATE TABLE parcels;
SELECT COUNT(*) FROM parcels;
TRUNCATE nothing_here;
-- Two tables at once.
CREATE TABLE crates (id INT PRIMARY KEY, n INT NOT NULL DEFAULT 5);
INSERT INTO crates VALUES (10, DEFAULT), (20, 6);
INSERT INTO parcels VALUES (4, 'x', 4);
TRUNCATE TABLE parcels, crates;
SELECT (SELECT COUNT(*) FROM parcels) AS parcels, (SELECT COUNT(*) FROM crates) AS crates;
-- Nothing is emptied when one of them doesn't exist.
INSERT INTO crates VALUES (30);
TRUNCATE crates, nothing_here;
SELECT * FROM crates;
-- A table that others point to can be emptied with them only.
CREATE TABLE depots (id INT PRIMARY KEY);
CREATE TABLE vans (id INT PRIMARY KEY, depot INT REFERENCES depots (id));
INSERT INTO depots VALUES (1), (2);
INSERT INTO vans VALUES (100, 1), (101, NULL);
TRUNCATE depots;
SELECT COUNT(*) FROM depots;
TRUNCATE vans;
SELECT COUNT(*) FROM vans;
TRUNCATE depots;
INSERT INTO vans VALUES (100, 1);
INSERT INTO depots VALUES (1);
INSERT INTO vans VALUES (100, 1);
TRUNCATE depots CASCADE;
SELECT COUNT(*) FROM vans;
TRUNCATE vans, depots;
CREATE TABLE plain (id INT PRIMARY KEY);
INSERT INTO plain VALUES (1);
TRUNCATE plain RESTART IDENTITY;
TRUNCATE TABLE plain CONTINUE IDENTITY CASCADE;
SELECT count(*) FROM plain;
TRUNCATE plain RESTART;
TRUNCATE plain RENAME IDENTITY;
DROP TABLE plain;
