-- Functions of text.
CREATE TABLE s (id INT PRIMARY KEY, t VARCHAR(20), c CHAR(6), n INT);
INSERT INTO s VALUES (1, 'Hello World', 'ab', 3), (2, '', '', 0), (3, NULL, NULL, NULL), (4, '  pad  ', ' x', -2), (5, 'abcabc', 'abcabc', 10);
SELECT id, upper(t), lower(t), length(t) FROM s ORDER BY id;
SELECT upper(c) || '|', lower('AB'), length(c), length('') FROM s WHERE id = 1;
SELECT initcap('hello wORLD'), char_length('abc'), character_length('äö'), octet_length('äö');
-- Pieces.
SELECT substring('abcdef' FROM 2 FOR 3), substring('abcdef' FROM 3), substring('abcdef', 2, 3), substring('abcdef', 3), substring('abcdef' FOR 2);
SELECT substring('abc' FROM 0 FOR 2), substring('abc' FROM -1 FOR 3), substring('abc' FROM 5), substring('abc' FROM 2 FOR 100), substring('abc' FROM 2 FOR 0);
SELECT substring('abc' FROM 1 FOR -1);
SELECT substr('abcdef', 2, 2), substr('abcdef', 4), substring('äöü' FROM 2 FOR 1);
SELECT left('abcdef', 2), left('abcdef', -2), left('abc', 10), left('abc', 0), right('abcdef', 2), right('abcdef', -2), right('abc', 10);
SELECT id, left(t, n), right(t, n) FROM s ORDER BY id;
SELECT id, substring(t FROM n) FROM s WHERE n > 0 ORDER BY id;
-- Trimming and padding.
SELECT '[' || trim('  x y  ') || ']', '[' || ltrim('  x ') || ']', '[' || rtrim(' x  ') || ']', '[' || btrim(' x ') || ']';
SELECT trim(BOTH 'x' FROM 'xxaxbxx'), trim(LEADING 'x' FROM 'xxaxx'), trim(TRAILING 'x' FROM 'xxaxx'), trim('xy' FROM 'yxaxy'), trim(LEADING FROM '  a');
SELECT ltrim('xyxa', 'yx'), rtrim('axyx', 'yx'), btrim('zaz', 'z'), trim('', 'x'), trim('abc', '');
SELECT lpad('ab', 5), lpad('ab', 5, 'xy'), lpad('abcdef', 3), rpad('ab', 5, 'xy') || '|', rpad('abcdef', 3, 'x'), lpad('ab', 0), rpad('ab', 4, ''), lpad('ab', -1);
SELECT id, '[' || rpad(t, 4, '.') || ']' AS r, '[' || lpad(t, 4, '.') || ']' AS l FROM s ORDER BY id;
-- Searching and replacing.
SELECT position('c' IN 'abcabc'), position('x' IN 'abc'), position('' IN 'abc'), position('bc' IN 'abcabc'), strpos('abcabc', 'ca'), position('ö' IN 'äö');
SELECT replace('abcabc', 'b', 'XX'), replace('aaa', 'aa', 'b'), replace('abc', '', 'x'), replace('abc', 'x', 'y'), replace('abc', 'abc', '');
SELECT id, replace(t, 'abc', 'x'), position('o' IN t) FROM s ORDER BY id;
SELECT translate('12345', '143', 'ax'), starts_with('abc', 'ab'), split_part('a,b,c', ',', 2), split_part('a,b', ',', 5);
-- Joining.
SELECT 'a' || 'b', 'a' || 1, 1 || 'a', 'a' || 1.50, 'a' || NULL, 'x' || DATE '2024-01-01', '' || TRUE;
SELECT concat('a', 1, NULL, 2.5, TRUE, DATE '2024-01-01'), concat(NULL), concat('a'), concat_ws('-', 'a', NULL, 'b', 3), concat_ws(NULL, 'a', 'b');
SELECT id, t || '!' AS loud, concat(t, '!', n) AS c FROM s ORDER BY id;
SELECT c || '|' || c AS joined FROM s ORDER BY id;
SELECT repeat('ab', 3), repeat('x', 0), repeat('x', -1), repeat('', 5), reverse('abc'), reverse(''), reverse('äb');
SELECT id, repeat(t, n), reverse(t) FROM s WHERE length(t) < 8 ORDER BY id;
SELECT ascii('A'), chr(66), md5('abc'), to_hex(255);
-- NULL makes NULL.
SELECT upper(NULL), length(NULL), substring(NULL FROM 1), trim(NULL), position(NULL IN 'a'), replace('a', NULL, 'b'), lpad('a', NULL), repeat(NULL, 2), reverse(NULL), left(NULL, 1);
-- Nested, and in conditions.
SELECT upper(left(t, 1)) || lower(substring(t FROM 2)) AS name FROM s WHERE length(trim(t)) > 0 ORDER BY id;
SELECT id FROM s WHERE upper(t) LIKE 'HELLO%' OR reverse(c) = 'cbacba' ORDER BY id;
SELECT length(t) AS l, COUNT(*) FROM s GROUP BY length(t) ORDER BY l;
UPDATE s SET t = trim(t) || '.' WHERE id = 4;
SELECT t, length(t) FROM s WHERE id = 4;
UPDATE s SET t = repeat(t, 10) WHERE id = 5;
-- Errors.
SELECT upper(5);
SELECT length(5);
SELECT left('abc', 'x');
SELECT left('abc');
SELECT repeat('x', 1.5);
SELECT replace('a', 'b');
SELECT position('a', 'b');
SELECT lpad('a');
SELECT reverse(1);
SELECT 1 || 2;
SELECT concat();
