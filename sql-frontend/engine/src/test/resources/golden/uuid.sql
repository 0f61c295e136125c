-- UUIDs: sixteen bytes, several ways to write them, one to show them.
CREATE TABLE devices (id UUID PRIMARY KEY, name VARCHAR(10), parent UUID);
INSERT INTO devices VALUES ('11111111-1111-1111-1111-111111111111', 'root', NULL);
INSERT INTO devices VALUES ('A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'upper', '11111111-1111-1111-1111-111111111111');
INSERT INTO devices VALUES ('a0eebc999c0b4ef8bb6d6bb9bd380a12', 'plain', '11111111-1111-1111-1111-111111111111');
INSERT INTO devices VALUES ('{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a13}', 'braces', NULL);
INSERT INTO devices VALUES ('ffffffff-ffff-ffff-ffff-ffffffffffff', 'last', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12');
INSERT INTO devices VALUES ('00000000-0000-0000-0000-000000000000', 'first', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12');
SELECT * FROM devices ORDER BY id;
SELECT name FROM devices WHERE id = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';
SELECT name FROM devices WHERE id = 'A0EEBC999C0B4EF8BB6D6BB9BD380A11';
SELECT name FROM devices WHERE id > '80000000-0000-0000-0000-000000000000' ORDER BY id DESC;
SELECT name FROM devices WHERE id < '11111111-1111-1111-1111-111111111112' ORDER BY id;
SELECT name FROM devices WHERE id IN ('11111111-1111-1111-1111-111111111111', 'ffffffff-ffff-ffff-ffff-ffffffffffff') ORDER BY name;
SELECT name FROM devices WHERE parent IS NULL ORDER BY name;
-- The same value is one key, however it is written.
INSERT INTO devices VALUES ('A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A12', 'again', NULL);
INSERT INTO devices VALUES (NULL, 'null', NULL);
-- What is no UUID.
INSERT INTO devices VALUES ('a0eebc99', 'short', NULL);
INSERT INTO devices VALUES ('g0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'letter', NULL);
INSERT INTO devices VALUES ('', 'empty', NULL);
INSERT INTO devices VALUES (5, 'number', NULL);
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a110'::UUID;
SELECT name FROM devices WHERE id = 'nonsense';
-- Casts and comparison.
SELECT '123e4567-e89b-12d3-a456-426614174000'::UUID;
SELECT '123E4567-E89B-12D3-A456-426614174000'::UUID::TEXT;
SELECT length(id::TEXT), id::VARCHAR(8) FROM devices WHERE name = 'root';
SELECT '00000000-0000-0000-0000-00000000000a'::UUID < '00000000-0000-0000-0000-0000000000a0'::UUID;
SELECT '7fffffff-0000-0000-0000-000000000000'::UUID < '80000000-0000-0000-0000-000000000000'::UUID;
SELECT 1::UUID;
SELECT '123e4567-e89b-12d3-a456-426614174000'::UUID::INT;
SELECT id + 1 FROM devices;
-- Joins, groups and changes.
SELECT c.name, p.name FROM devices AS c JOIN devices AS p ON c.parent = p.id ORDER BY c.name;
SELECT parent, COUNT(*) FROM devices GROUP BY parent ORDER BY parent;
SELECT COUNT(DISTINCT parent), COUNT(parent), COUNT(*) FROM devices;
UPDATE devices SET parent = '00000000-0000-0000-0000-000000000000' WHERE parent IS NULL;
SELECT name, parent FROM devices ORDER BY name;
UPDATE devices SET id = '00000000-0000-0000-0000-000000000001' WHERE name = 'root';
SELECT COUNT(*) FROM devices WHERE id = '11111111-1111-1111-1111-111111111111';
DELETE FROM devices WHERE id = '00000000000000000000000000000001';
SELECT COUNT(*) FROM devices;
