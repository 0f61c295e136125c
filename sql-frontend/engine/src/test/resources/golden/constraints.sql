-- NOT NULL, CHECK, UNIQUE and DEFAULT.
CREATE TABLE guests (
    id INT PRIMARY KEY,
    name VARCHAR(20) NOT NULL,
    age INT CHECK (age >= 0),
    room INT UNIQUE,
    note TEXT DEFAULT 'none',
    paid BOOLEAN NOT NULL DEFAULT FALSE
);
INSERT INTO guests (id, name) VALUES (1, 'Ada');
SELECT * FROM guests;
INSERT INTO guests VALUES (2, 'Bob', 30, 11, 'vip', TRUE);
INSERT INTO guests (id, name, note) VALUES (3, 'Cy', NULL);
INSERT INTO guests (id, name, note, paid) VALUES (4, 'Di', DEFAULT, DEFAULT);
SELECT id, note, paid FROM guests ORDER BY id;
-- NOT NULL
INSERT INTO guests (id) VALUES (5);
INSERT INTO guests VALUES (5, NULL, 1, 1);
INSERT INTO guests VALUES (5, 'Ed', 1, 1, 'x', NULL);
UPDATE guests SET name = NULL WHERE id = 1;
INSERT INTO guests VALUES (NULL, 'Ed');
-- CHECK: unknown passes.
INSERT INTO guests (id, name, age) VALUES (6, 'Flo', -1);
INSERT INTO guests (id, name, age) VALUES (6, 'Flo', 0);
UPDATE guests SET age = age - 1 WHERE id = 6;
UPDATE guests SET age = NULL WHERE id = 6;
SELECT age FROM guests WHERE id = 6;
-- UNIQUE: NULLs are different from each other.
INSERT INTO guests (id, name, room) VALUES (7, 'Gus', 11);
INSERT INTO guests (id, name, room) VALUES (7, 'Gus', 12);
UPDATE guests SET room = 11 WHERE id = 7;
UPDATE guests SET room = 12 WHERE id = 7;
UPDATE guests SET room = NULL WHERE id = 7;
INSERT INTO guests (id, name, room) VALUES (8, 'Hal', 12);
SELECT id, room FROM guests WHERE room IS NULL ORDER BY id;
-- A statement that fails changes nothing.
INSERT INTO guests (id, name, room) VALUES (20, 'x', 20), (21, 'y', 21), (22, 'z', 20);
SELECT COUNT(*) FROM guests WHERE id >= 20;
-- Constraints of the table, with names.
CREATE TABLE spans (
    id INT CONSTRAINT spans_id PRIMARY KEY,
    low INT,
    high INT,
    tag CHAR(2),
    CONSTRAINT spans_order CHECK (low <= high),
    CONSTRAINT spans_place UNIQUE (tag, low),
    CHECK (tag IN ('aa', 'bb') OR tag IS NULL)
);
INSERT INTO spans VALUES (1, 1, 5, 'aa'), (2, 1, 5, 'bb'), (3, 5, 5, 'aa');
INSERT INTO spans VALUES (4, 6, 5, 'aa');
INSERT INTO spans VALUES (4, 5, 6, 'aa');
INSERT INTO spans VALUES (4, 5, 6, 'cc');
INSERT INTO spans VALUES (3, 7, 8, 'aa');
INSERT INTO spans VALUES (4, NULL, 6, 'aa'), (5, NULL, 6, 'aa'), (6, 1, 2, NULL), (7, 1, 2, NULL);
SELECT * FROM spans ORDER BY id;
UPDATE spans SET low = high + 1 WHERE id = 1;
UPDATE spans SET high = high + 10, low = low + 10;
SELECT * FROM spans WHERE tag = 'aa' ORDER BY id;
-- Defaults are expressions without columns.
CREATE TABLE ready (id INT PRIMARY KEY, a INT DEFAULT 2 + 3 * 4, b VARCHAR(5) DEFAULT 'x' || 'y', c DATE DEFAULT '2020-02-20', d DECIMAL(5,2) DEFAULT -1.5);
INSERT INTO ready (id) VALUES (1);
INSERT INTO ready DEFAULT VALUES;
UPDATE ready SET a = DEFAULT, b = DEFAULT WHERE id = 1;
UPDATE ready SET a = 0;
UPDATE ready SET a = DEFAULT;
SELECT * FROM ready;
CREATE TABLE unready (a INT, b INT DEFAULT a);
