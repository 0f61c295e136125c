-- Bytes: written and shown in hexadecimal.
CREATE TABLE blobs (id INT PRIMARY KEY, data BYTEA, note TEXT);
INSERT INTO blobs VALUES (1, '\x00', 'zero'), (2, '\xDEADbeef', 'mixed case'), (3, '\x', 'empty'), (4, NULL, 'none'), (5, 'plain', 'text'), (6, '\x00ff00', 'with zeros');
SELECT * FROM blobs ORDER BY id;
SELECT id FROM blobs WHERE data = '\xdeadbeef';
SELECT id FROM blobs WHERE data = '\x';
SELECT id FROM blobs WHERE data IS NULL;
SELECT id FROM blobs WHERE data <> '\x00' ORDER BY id;
-- Order is that of the bytes, unsigned.
SELECT id, data FROM blobs ORDER BY data;
SELECT id FROM blobs WHERE data > '\x00' ORDER BY data DESC;
SELECT '\x7f'::BYTEA < '\x80'::BYTEA, '\x00'::BYTEA < '\x0000'::BYTEA, '\xff'::BYTEA = '\xFF'::BYTEA;
-- Length and pieces.
SELECT id, length(data), octet_length(data) FROM blobs ORDER BY id;
SELECT '\x01'::BYTEA || '\x02'::BYTEA, '\x'::BYTEA || '\xab'::BYTEA;
SELECT data || '\x01'::BYTEA FROM blobs WHERE id IN (3, 4) ORDER BY id;
SELECT substring('\x0102030405'::BYTEA FROM 2 FOR 3), substring('\x0102'::BYTEA FROM 2);
-- Escapes.
SELECT 'a\000b'::BYTEA, '\\'::BYTEA, 'x\\y'::BYTEA;
-- What is not bytes.
SELECT '\xabc'::BYTEA;
SELECT '\xzz'::BYTEA;
SELECT '\9'::BYTEA;
SELECT 1::BYTEA;
INSERT INTO blobs VALUES (7, 5, 'number');
INSERT INTO blobs VALUES (7, '\x0', 'odd');
SELECT COUNT(*) FROM blobs;
-- Keys, groups and changes.
CREATE TABLE hashes (h BYTEA PRIMARY KEY, n INT);
INSERT INTO hashes VALUES ('\x01', 1), ('\x0100', 2);
INSERT INTO hashes VALUES ('\x01', 3);
SELECT n FROM hashes WHERE h = '\x0100';
UPDATE hashes SET h = h || '\xff'::BYTEA;
SELECT * FROM hashes ORDER BY h;
UPDATE blobs SET data = '\x00' WHERE id = 3;
SELECT data, COUNT(*) FROM blobs GROUP BY data ORDER BY data;
SELECT DISTINCT data FROM blobs WHERE id IN (1, 3);
SELECT b.id, h.n FROM blobs AS b JOIN hashes AS h ON h.h = b.data || '\x'::BYTEA ORDER BY b.id;
DELETE FROM blobs WHERE data = '\x00';
SELECT COUNT(*) FROM blobs;
-- Hashes, bytes and bits.
SELECT sha224('abc'), sha256('abc');
SELECT sha384('\x00ff'), sha512('');
SELECT get_byte('\x1234567890'::bytea, 4), set_byte('\x1234567890'::bytea, 4, 64), set_byte('\x12'::bytea, 0, 511), get_bit('\x1234567890'::bytea, 30), get_bit('\x01'::bytea, 0), set_bit('\x1234567890'::bytea, 30, 0), set_bit('\x00'::bytea, 7, 1), bit_count('\x1234567890'::bytea);
SELECT get_byte('\x1234'::bytea, 2);
SELECT get_byte('\x1234'::bytea, -1);
SELECT get_bit('\x1234'::bytea, 16);
SELECT set_byte(''::bytea, 0, 1);
SELECT set_bit('\x1234'::bytea, 0, 2);
SELECT overlay('Th\000omas'::bytea PLACING 'Th\001omas'::bytea FROM 2), overlay('Th\000omas'::bytea PLACING '\002\003'::bytea FROM 8), overlay('Th\000omas'::bytea PLACING '\002\003'::bytea FROM 5 FOR 3);
SELECT overlay('abc'::bytea PLACING 'x'::bytea FROM 0);
SELECT trim(E'\\000'::bytea FROM E'\\000Tom\\000'::bytea), trim(LEADING '\x00'::bytea FROM '\x0041'::bytea), ltrim('\x000041'::bytea, '\x00'::bytea), rtrim('\x410042'::bytea, '\x4200'::bytea), btrim(''::bytea, '\x00'::bytea), btrim('\x41'::bytea, ''::bytea);
SELECT position('\x5678'::bytea IN '\x1234567890'::bytea), position('\xff'::bytea IN '\x12'::bytea), position(''::bytea IN '\x12'::bytea), substring('\x1234567890'::bytea FROM 2 FOR 2), substring('\x1234'::bytea FOR 1);
SELECT 'ab%c'::bytea LIKE 'ab#%c'::bytea, 'abc'::bytea LIKE 'a_c'::bytea, '\xff41'::bytea LIKE '_A'::bytea, 'abc'::bytea NOT LIKE '%x'::bytea, 'a%c'::bytea LIKE 'a\\%c'::bytea, 'abc'::bytea LIKE 'a%';
SELECT 'abc'::text LIKE 'a%'::bytea;
SELECT 'abc'::bytea ILIKE 'A%'::bytea;
-- Characters by their numbers.
SELECT U&'d\0061t\+000061', U&'\0441\043B\043E\043D', u&'a''b\\c', U&'\D83D\DE00', U&'a'
'\0062';
SELECT unistr('\0064at\+0000610'), unistr('d\u0061t\U000000610'), unistr('a\\b'), unistr('\D83D\DE00'), unistr(NULL);
SELECT unistr('wrong: \db99');
SELECT unistr('wrong: \xyz');
SELECT unistr('wrong: \U2FFFFFFF');
SELECT U&'wrong: \061';
SELECT U&'\u0041';
SELECT U&'wrong: \db99\0061';
SELECT U&'wrong: \+2FFFFF';
