-- References: what may be inserted, and what happens to the rows that point to a row that goes.
CREATE TABLE authors (id INT PRIMARY KEY, name VARCHAR(20));
INSERT INTO authors VALUES (1, 'Ann'), (2, 'Ben'), (3, 'Cat'), (4, 'Dan');
CREATE TABLE essays (id INT PRIMARY KEY, author INT REFERENCES authors (id), title TEXT);
INSERT INTO essays VALUES (10, 1, 'On air'), (11, NULL, 'Anonymous');
INSERT INTO essays VALUES (12, 9, 'Nobody');
INSERT INTO essays VALUES (12, 2, 'ok'), (13, 9, 'not ok');
SELECT * FROM essays ORDER BY id;
UPDATE essays SET author = 7 WHERE id = 10;
UPDATE essays SET author = 2 WHERE id = 10;
UPDATE essays SET author = NULL WHERE id = 10;
UPDATE essays SET author = 1 WHERE id = 10;
-- By default a row that is pointed to can't go.
DELETE FROM authors WHERE id = 1;
UPDATE authors SET id = 100 WHERE id = 1;
UPDATE authors SET name = 'Anna' WHERE id = 1;
DELETE FROM authors WHERE id = 4;
DELETE FROM essays WHERE id = 10;
DELETE FROM authors WHERE id = 1;
SELECT * FROM authors ORDER BY id;
DROP TABLE authors;
-- CASCADE
CREATE TABLE novels (id INT PRIMARY KEY, author INT NOT NULL REFERENCES authors ON DELETE CASCADE ON UPDATE CASCADE);
INSERT INTO novels VALUES (20, 2), (21, 2), (22, 3);
CREATE TABLE chapters (novel INT REFERENCES novels (id) ON DELETE CASCADE, n INT, PRIMARY KEY (novel, n));
INSERT INTO chapters VALUES (20, 1), (20, 2), (22, 1);
UPDATE authors SET id = 33 WHERE id = 3;
SELECT * FROM novels ORDER BY id;
DELETE FROM authors WHERE id = 2;
SELECT * FROM novels ORDER BY id;
SELECT * FROM chapters ORDER BY novel, n;
-- SET NULL
CREATE TABLE poems (id INT PRIMARY KEY, author INT, FOREIGN KEY (author) REFERENCES authors (id) ON DELETE SET NULL);
INSERT INTO authors VALUES (5, 'Eve');
INSERT INTO poems VALUES (30, 5), (31, 33);
DELETE FROM authors WHERE id = 5;
SELECT * FROM poems ORDER BY id;
-- RESTRICT and NO ACTION
CREATE TABLE letters (id INT PRIMARY KEY, author INT REFERENCES authors (id) ON DELETE RESTRICT);
INSERT INTO authors VALUES (6, 'Flo'), (7, 'Gil');
INSERT INTO letters VALUES (40, 6);
DELETE FROM authors WHERE id = 6;
DELETE FROM authors WHERE id IN (6, 7);
SELECT COUNT(*) FROM authors WHERE id IN (6, 7);
CREATE TABLE notes (id INT PRIMARY KEY, author INT CONSTRAINT notes_by REFERENCES authors (id) ON DELETE NO ACTION);
INSERT INTO notes VALUES (50, 7);
DELETE FROM authors WHERE id = 7;
-- Several columns: one NULL is enough to point nowhere.
CREATE TABLE cells (x INT, y INT, PRIMARY KEY (x, y));
CREATE TABLE pieces (name TEXT PRIMARY KEY, x INT, y INT, FOREIGN KEY (x, y) REFERENCES cells (x, y) ON DELETE CASCADE);
INSERT INTO cells VALUES (1, 1), (1, 2);
INSERT INTO pieces VALUES ('king', 1, 1), ('queen', 1, NULL), ('pawn', NULL, 9);
INSERT INTO pieces VALUES ('rook', 2, 1);
DELETE FROM cells WHERE x = 1 AND y = 1;
SELECT * FROM pieces ORDER BY name;
-- A table that points to itself.
CREATE TABLE staff (id INT PRIMARY KEY, boss INT REFERENCES staff (id));
INSERT INTO staff VALUES (1, 1), (2, 1), (3, 2);
INSERT INTO staff VALUES (4, 5), (5, 4);
INSERT INTO staff VALUES (6, 8);
DELETE FROM staff WHERE id = 2;
DELETE FROM staff WHERE id IN (2, 3);
SELECT * FROM staff ORDER BY id;
-- References that can't be.
CREATE TABLE wrong (a INT REFERENCES nowhere (id));
CREATE TABLE wrong (a INT REFERENCES authors (name));
CREATE TABLE wrong (a TEXT REFERENCES authors (id));
CREATE TABLE wrong (a INT REFERENCES authors (nothing));
DROP TABLE authors CASCADE;
INSERT INTO letters VALUES (41, 12345);
SELECT * FROM letters ORDER BY id;
CREATE TABLE matched (id INT PRIMARY KEY);
CREATE TABLE matching (id INT PRIMARY KEY, m INT REFERENCES matched MATCH SIMPLE ON DELETE CASCADE, n INT,
    FOREIGN KEY (n) REFERENCES matched (id) MATCH SIMPLE);
INSERT INTO matched VALUES (1);
INSERT INTO matching VALUES (1, 1, NULL);
INSERT INTO matching VALUES (2, NULL, 2);
CREATE TABLE wrong (id INT REFERENCES matched MATCH WHOLE);
DROP TABLE matching;
DROP TABLE matched;
-- A foreign key shows no index of its own.
CREATE TABLE writer (id INT PRIMARY KEY);
CREATE TABLE book (id INT PRIMARY KEY, writer INT REFERENCES writer);
SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'book' ORDER BY 1;
CREATE INDEX book_writer_idx ON book (writer);
CREATE INDEX IF NOT EXISTS book_writer_idx ON book (writer);
SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'book' ORDER BY 1;
DROP INDEX book_writer_idx;
INSERT INTO writer VALUES (1), (2);
INSERT INTO book VALUES (1, 1);
DELETE FROM writer WHERE id = 1;
DELETE FROM writer WHERE id = 2;
SELECT indexname FROM pg_indexes WHERE tablename = 'book' ORDER BY 1;
DROP TABLE book, writer;
