-- INSERT: rows, columns, defaults, and what isn't inserted.
CREATE TABLE fruit (id INT PRIMARY KEY, name VARCHAR(10) NOT NULL, price DECIMAL(6,2) DEFAULT 1.00, stock INT, picked DATE);
INSERT INTO fruit VALUES (1, 'apple', 0.50, 100, '2024-09-01');
INSERT INTO fruit (id, name) VALUES (2, 'pear');
INSERT INTO fruit (name, id, stock) VALUES ('plum', 3, -5);
INSERT INTO fruit VALUES (4, 'fig');
INSERT INTO fruit VALUES (5, 'kiwi', DEFAULT, 7, NULL), (6, 'lime', 2 * 3, 1 + 1, DATE '2024-01-31' + 1);
SELECT * FROM fruit ORDER BY id;
INSERT INTO fruit (id, name, price) VALUES (7, 'nut', NULL);
INSERT INTO fruit (id, name, price) VALUES (8, UPPER('date'), (SELECT MAX(price) FROM fruit));
SELECT id, name, price FROM fruit WHERE id > 6 ORDER BY id;
-- Columns and values.
INSERT INTO fruit (id, name, id) VALUES (9, 'twice', 9);
INSERT INTO fruit (id, nothing) VALUES (9, 'x');
INSERT INTO fruit (id, name) VALUES (9);
INSERT INTO fruit (id, name) VALUES (9, 'x', 3);
INSERT INTO fruit VALUES (9, 'x', 1, 1, NULL, 6);
INSERT INTO fruit VALUES (9, 'a'), (10, 'b', 3);
INSERT INTO fruit (id) VALUES (9);
INSERT INTO fruit VALUES (9, NULL);
INSERT INTO nowhere VALUES (1);
INSERT INTO fruit () VALUES ();
-- Types.
INSERT INTO fruit VALUES ('9', 'text key', '1.5', '12', '2024-02-03');
INSERT INTO fruit VALUES ('x', 'no key');
INSERT INTO fruit VALUES (10, 'a name that is long');
INSERT INTO fruit VALUES (10, 'dear', 10000);
INSERT INTO fruit VALUES (10, 'much', 1, 3000000000);
INSERT INTO fruit VALUES (10, 'late', 1, 1, '2024-02-30');
INSERT INTO fruit VALUES (10, 'zero', 1 / 0);
INSERT INTO fruit VALUES (10, 12345, 1.005, 2.5);
SELECT * FROM fruit WHERE id IN (9, 10) ORDER BY id;
INSERT INTO fruit VALUES (11, 'bool', 1, TRUE);
-- All rows of a statement, or none.
INSERT INTO fruit VALUES (20, 'one'), (21, 'two'), (1, 'three');
INSERT INTO fruit VALUES (20, 'one'), (20, 'two');
INSERT INTO fruit VALUES (20, 'one'), (21, NULL);
SELECT COUNT(*) FROM fruit WHERE id >= 20;
-- A column can't be used in its own row.
INSERT INTO fruit (id, name, stock) VALUES (22, 'self', id);
-- Aggregates have no place here.
INSERT INTO fruit (id, name) VALUES (COUNT(*), 'x');
-- A table with defaults only.
CREATE TABLE ticks (a INT DEFAULT 1, b TEXT DEFAULT 'x');
INSERT INTO ticks DEFAULT VALUES;
INSERT INTO ticks VALUES (DEFAULT, DEFAULT), (2, DEFAULT);
SELECT * FROM ticks ORDER BY a, b;
INSERT INTO ticks AS t (a) VALUES (3);
SELECT COUNT(*) FROM ticks;
INSERT INTO ticks VALUES (4, 'it''s'), (5, '');
SELECT b FROM ticks WHERE a > 3 ORDER BY a;
