-- INSERT, UPDATE and DELETE in WITH.
CREATE TABLE open_tasks (id INT PRIMARY KEY, title TEXT, done BOOLEAN DEFAULT false);
CREATE TABLE archive (id INT PRIMARY KEY, title TEXT, note TEXT DEFAULT 'moved');
CREATE TABLE log (n INT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, what TEXT, task INT);
INSERT INTO open_tasks VALUES (1, 'a', true), (2, 'b', false), (3, 'c', true), (4, 'd', false);
WITH moved AS (DELETE FROM open_tasks WHERE done RETURNING *) INSERT INTO archive (id, title) SELECT id, title FROM moved;
SELECT * FROM open_tasks ORDER BY id;
SELECT * FROM archive ORDER BY id;
WITH moved AS (DELETE FROM archive WHERE id = 3 RETURNING id, title) SELECT * FROM moved ORDER BY id;
WITH new (a, b) AS (INSERT INTO open_tasks (id, title) VALUES (5, 'e'), (6, 'f') RETURNING id, title || '!') SELECT b, a FROM new ORDER BY a;
WITH up AS (UPDATE open_tasks SET done = true WHERE id > 4 RETURNING id, done) SELECT count(*), bool_and(done) FROM up;
WITH up AS (UPDATE open_tasks SET done = false WHERE id > 4 RETURNING id) INSERT INTO log (what, task) SELECT 'reset', id FROM up ORDER BY id RETURNING what, task;
-- Parts that nothing reads run all the same.
WITH gone AS (DELETE FROM open_tasks WHERE id = 6) SELECT 1 AS one;
SELECT id FROM open_tasks ORDER BY id;
WITH a AS (INSERT INTO archive VALUES (10, 'x')), b AS (INSERT INTO log (what) VALUES ('b') RETURNING n) SELECT count(*) FROM b;
SELECT id FROM archive ORDER BY id;
-- Several parts, which read each other.
WITH gone AS (DELETE FROM open_tasks WHERE id = 5 RETURNING id, title), kept AS (INSERT INTO archive (id, title) SELECT id, title FROM gone RETURNING id), logged AS (INSERT INTO log (what, task) SELECT 'archived', id FROM kept RETURNING n, task) SELECT gone.id, kept.id, logged.task FROM gone, kept, logged;
WITH gone AS (DELETE FROM archive WHERE id = 5 RETURNING id), big AS (SELECT id + 100 AS id FROM gone) UPDATE open_tasks SET title = 'from ' || big.id FROM big WHERE open_tasks.id = 4 RETURNING open_tasks.id, title;
WITH gone AS (DELETE FROM archive RETURNING id) SELECT a.id, b.id FROM gone AS a JOIN gone AS b ON a.id >= b.id ORDER BY 1, 2;
WITH gone AS (DELETE FROM log RETURNING what) SELECT (SELECT count(*) FROM gone), (SELECT max(what) FROM gone WHERE what < 'c'), EXISTS (SELECT FROM gone WHERE what = 'reset');
WITH t AS (SELECT max(id) AS id FROM open_tasks), up AS (INSERT INTO archive SELECT id + 1, 'max' FROM t RETURNING id) SELECT * FROM up;
WITH up AS (UPDATE open_tasks SET done = true WHERE id = 2 RETURNING id) DELETE FROM archive USING up WHERE archive.id = up.id + 3 RETURNING archive.id;
WITH x AS (INSERT INTO archive VALUES (1, 'again') ON CONFLICT (id) DO NOTHING RETURNING id) SELECT count(*) FROM x;
WITH x AS (INSERT INTO archive VALUES (1, 'again') ON CONFLICT (id) DO UPDATE SET title = excluded.title || '!' RETURNING title) SELECT * FROM x;
-- Prepared, with parameters.
PREPARE p (INT, TEXT) AS WITH up AS (UPDATE open_tasks SET title = $2 WHERE id = $1 RETURNING id, title) INSERT INTO log (what, task) SELECT title, id FROM up RETURNING what, task;
EXECUTE p (2, 'two');
EXECUTE p (99, 'none');
EXECUTE p (4, 'four');
-- In transactions.
BEGIN;
WITH gone AS (DELETE FROM open_tasks RETURNING id) SELECT count(*) FROM gone;
ROLLBACK;
SELECT count(*) FROM open_tasks;
BEGIN READ ONLY;
WITH gone AS (DELETE FROM open_tasks RETURNING id) SELECT count(*) FROM gone;
ROLLBACK;
WITH a AS (INSERT INTO archive VALUES (20, 'y')) INSERT INTO log (what) VALUES (1 / 0);
WITH a AS (INSERT INTO archive VALUES (20, 'y') RETURNING id) SELECT 1 / (id - 20) FROM a;
SELECT count(*) FROM archive WHERE id = 20;
-- Foreign keys.
CREATE TABLE parent (id INT PRIMARY KEY);
CREATE TABLE child (id INT PRIMARY KEY, parent_id INT REFERENCES parent);
WITH p AS (INSERT INTO parent VALUES (1), (2) RETURNING id) INSERT INTO child SELECT id * 10, id FROM p;
SELECT * FROM child ORDER BY id;
WITH c AS (DELETE FROM child WHERE parent_id = 2 RETURNING parent_id) DELETE FROM parent USING c WHERE id = parent_id;
SELECT * FROM parent;
-- Errors.
WITH x AS (DELETE FROM log) SELECT * FROM x;
WITH x AS (DELETE FROM log RETURNING n) SELECT missing FROM x;
WITH x (a, b) AS (DELETE FROM log RETURNING n) SELECT * FROM x;
WITH x AS (DELETE FROM missing RETURNING *) SELECT * FROM x;
WITH x AS (DELETE FROM log RETURNING n), x AS (SELECT 1) SELECT * FROM x;
SELECT * FROM (WITH x AS (DELETE FROM log RETURNING n) SELECT * FROM x) AS t;
INSERT INTO log (what) WITH x AS (DELETE FROM archive RETURNING title) SELECT title FROM x;
CREATE VIEW v AS WITH x AS (DELETE FROM log RETURNING n) SELECT * FROM x;
DECLARE c CURSOR FOR WITH x AS (DELETE FROM log RETURNING n) SELECT * FROM x;
WITH x AS (DELETE FROM log RETURNING n) SELECT 1 LIMIT -1;
-- In functions.
CREATE FUNCTION archive_task(task INT) RETURNS TEXT LANGUAGE sql AS 'WITH gone AS (DELETE FROM open_tasks WHERE id = task RETURNING id, title) INSERT INTO archive (id, title) SELECT id, title FROM gone RETURNING title';
SELECT archive_task(4);
CREATE FUNCTION count_gone() RETURNS BIGINT LANGUAGE plpgsql AS 'DECLARE c BIGINT; BEGIN WITH gone AS (DELETE FROM open_tasks RETURNING id) SELECT count(*) INTO c FROM gone; RETURN c; END';
SELECT count_gone();
SELECT count(*) FROM open_tasks;
CREATE TABLE owner_of (id INT PRIMARY KEY, v INT);
CREATE TABLE owned (id SERIAL PRIMARY KEY, o INT REFERENCES owner_of ON DELETE CASCADE);
WITH made AS (INSERT INTO owner_of VALUES (1, 1), (2, 2) RETURNING id) INSERT INTO owned (o) SELECT id FROM made;
WITH changed AS (UPDATE owner_of SET v = 5 WHERE id = 1 RETURNING id) INSERT INTO owned (o) SELECT id FROM changed;
SELECT count(*) FROM owned;
