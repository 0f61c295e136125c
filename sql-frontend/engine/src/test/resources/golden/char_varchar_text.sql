-- CHAR(n) is padded with blanks that don't count; VARCHAR(n) and TEXT keep theirs.
CREATE TABLE s (id INT PRIMARY KEY, c CHAR(5), v VARCHAR(5), t TEXT);
INSERT INTO s VALUES (1, 'abc', 'abc', 'abc'), (2, 'abc  ', 'abc  ', 'abc  '), (3, '', '', ''), (4, NULL, NULL, NULL), (5, 'Abcde', 'Abcde', 'Abcdefgh');
SELECT id, '[' || v || ']' AS v, '[' || t || ']' AS t, '[' || c || ']' AS c FROM s ORDER BY id;
SELECT c FROM s WHERE id = 1;
SELECT length(c), length(v), length(t) FROM s WHERE id = 2;
SELECT id FROM s WHERE c = 'abc' ORDER BY id;
SELECT id FROM s WHERE c = 'abc   ' ORDER BY id;
SELECT id FROM s WHERE v = 'abc' ORDER BY id;
SELECT id FROM s WHERE v = 'abc  ' ORDER BY id;
SELECT id FROM s WHERE t = 'abc' ORDER BY id;
SELECT id FROM s WHERE v = c ORDER BY id;
SELECT id FROM s WHERE v = t ORDER BY id;
SELECT id FROM s WHERE c = '';
SELECT 'a '::CHAR(3) = 'a'::CHAR(5), 'a '::VARCHAR(3) = 'a'::VARCHAR(5), 'a '::TEXT = 'a';
-- Too long.
INSERT INTO s VALUES (6, 'abcdef', 'x', 'x');
INSERT INTO s VALUES (6, 'x', 'abcdef', 'x');
INSERT INTO s VALUES (6, 'abcde   ', 'abcde   ', 'x');
UPDATE s SET v = v || v WHERE id = 1;
UPDATE s SET v = v || v WHERE id = 5;
SELECT id, '[' || v || ']' FROM s WHERE id IN (1, 5, 6) ORDER BY id;
UPDATE s SET v = t WHERE id = 5;
-- A cast cuts.
SELECT 'abcdef'::VARCHAR(3), 'abcdef'::CHAR(3), 'ab'::CHAR(4) || '|', length('ab'::CHAR(4));
SELECT 123456::VARCHAR(3), 12::CHAR(4) || '|', 'x'::CHAR || 'y';
-- Order is that of the bytes: digits, upper case, lower case.
INSERT INTO s (id, t) VALUES (10, 'zebra'), (11, 'Zebra'), (12, 'apple'), (13, '9'), (14, '10'), (15, '_x'), (16, ' x'), (17, 'äpfel');
SELECT t FROM s WHERE id >= 10 ORDER BY t;
SELECT t FROM s WHERE id >= 10 AND t < 'a' ORDER BY t;
SELECT MIN(t), MAX(t) FROM s WHERE id >= 10;
SELECT 'a' < 'B', 'a' < 'b', 'a' < 'aa', '' < 'a', 'ä' > 'z';
-- Length counts characters.
SELECT length('äöü'), octet_length('äöü'), char_length('日本'), length('');
INSERT INTO s (id, v) VALUES (20, 'äöüßé');
INSERT INTO s (id, v) VALUES (21, 'äöüßéx');
SELECT v, length(v) FROM s WHERE id = 20;
-- Quotes.
SELECT 'it''s', '''', 'a"b', E'tab\there', E'\'', 'back\slash', '';
SELECT 'one' 'two';
SELECT 'one'
  'two';
SELECT 'a;b', '--no comment', '/* nor this */';
SELECT DISTINCT c FROM s WHERE id < 4 ORDER BY c;
SELECT c, COUNT(*) FROM s WHERE id < 10 GROUP BY c ORDER BY c;
SELECT v, COUNT(*) FROM s WHERE id IN (1, 2) GROUP BY v ORDER BY v;
SELECT id FROM s WHERE t > 'abc' AND id < 10 ORDER BY id;
SELECT id FROM s WHERE c LIKE 'abc%' ORDER BY id;
SELECT 'a' = 1;
SELECT 'a' || 1 || NULL, 'a' || 1 || TRUE;
CREATE TABLE padded (id INT PRIMARY KEY, c CHAR(3), v VARCHAR(3));
INSERT INTO padded VALUES (1, 'a', 'a'), (2, 'é ', 'é '), (3, '', ''), (4, NULL, NULL);
SELECT id, octet_length(c), octet_length(v), octet_length(c::TEXT), length(c), bit_length(c) FROM padded ORDER BY id;
SELECT octet_length('a'::CHAR(3)), octet_length('abc'), octet_length('\x00ff'::BYTEA);
