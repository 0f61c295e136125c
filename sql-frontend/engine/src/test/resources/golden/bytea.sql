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
