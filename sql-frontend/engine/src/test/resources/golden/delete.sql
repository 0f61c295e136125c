-- DELETE
CREATE TABLE mail (id INT PRIMARY KEY, box VARCHAR(8), size INT, seen BOOLEAN);
INSERT INTO mail VALUES (1, 'in', 100, TRUE), (2, 'in', 250, FALSE), (3, 'out', 10, TRUE), (4, 'spam', NULL, NULL), (5, 'spam', 900, FALSE), (6, 'in', 100, NULL), (7, 'old', 1, TRUE), (8, 'old', 2, TRUE);
DELETE FROM mail WHERE id = 1;
DELETE FROM mail WHERE id = 1;
SELECT id FROM mail ORDER BY id;
DELETE FROM mail WHERE NOT seen;
SELECT id, seen FROM mail ORDER BY id;
DELETE FROM mail WHERE size = NULL;
DELETE FROM mail WHERE size IS NULL AND box LIKE 'sp%';
SELECT id FROM mail ORDER BY id;
-- A deleted key can come again.
INSERT INTO mail VALUES (1, 'new', 5, TRUE);
SELECT * FROM mail WHERE id = 1;
DELETE FROM mail WHERE id = 1 OR id = 3;
INSERT INTO mail VALUES (3, 'again', 6, FALSE), (1, 'again', 7, FALSE);
SELECT * FROM mail ORDER BY id;
-- Subqueries.
CREATE TABLE boxes (name VARCHAR(8) PRIMARY KEY, keep BOOLEAN);
INSERT INTO boxes VALUES ('in', TRUE), ('old', FALSE), ('again', NULL);
DELETE FROM mail WHERE box IN (SELECT name FROM boxes WHERE NOT keep);
SELECT id, box FROM mail ORDER BY id;
DELETE FROM boxes WHERE NOT EXISTS (SELECT 1 FROM mail WHERE mail.box = boxes.name);
SELECT name FROM boxes ORDER BY name;
DELETE FROM mail AS m WHERE m.size > (SELECT AVG(size) FROM mail);
SELECT id, size FROM mail ORDER BY id;
DELETE FROM mail m WHERE mail.id = 1;
DELETE FROM mail WHERE box NOT IN (SELECT name FROM boxes);
SELECT COUNT(*) FROM mail;
INSERT INTO boxes (name) VALUES ('dup');
DELETE FROM boxes WHERE keep IS DISTINCT FROM TRUE;
SELECT * FROM boxes ORDER BY name;
-- Errors delete nothing.
DELETE FROM mail WHERE 1 / (size - 6) > 0;
SELECT COUNT(*) FROM mail;
DELETE FROM mail WHERE nothing = 1;
DELETE FROM nowhere;
DELETE FROM mail WHERE id;
DELETE FROM mail WHERE COUNT(*) > 1;
DELETE mail WHERE id = 1;
DELETE FROM mail WHERE id = 'x';
SELECT COUNT(*) FROM mail;
-- All rows.
DELETE FROM mail;
DELETE FROM mail;
SELECT COUNT(*), SUM(size) FROM mail;
INSERT INTO mail VALUES (1, 'in', 1, TRUE);
SELECT * FROM mail;
-- With indexes.
CREATE INDEX mail_size ON mail USING BTREE (size);
INSERT INTO mail VALUES (2, 'a', 10, NULL), (3, 'b', 20, NULL), (4, 'c', 30, NULL), (5, 'd', 20, NULL);
DELETE FROM mail WHERE size = 20;
SELECT id FROM mail WHERE size >= 10 ORDER BY size;
INSERT INTO mail VALUES (3, 'b', 25, NULL);
SELECT id FROM mail WHERE size BETWEEN 20 AND 30 ORDER BY size;
DELETE FROM mail WHERE size > 0 AND size < 30;
SELECT id FROM mail;
