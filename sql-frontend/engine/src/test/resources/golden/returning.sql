-- RETURNING answers rows of the table as they are after the change, or before they go.
CREATE TABLE jobs (id INT PRIMARY KEY, what VARCHAR(12) DEFAULT 'rest', hours DECIMAL(5,1), done BOOLEAN NOT NULL DEFAULT FALSE);
INSERT INTO jobs (id, hours) VALUES (1, 1.25) RETURNING *;
INSERT INTO jobs (id, what) VALUES (2, 'dig'), (3, 'sow') RETURNING id, what;
INSERT INTO jobs VALUES (4, 'reap', 8, TRUE) RETURNING id AS key, hours * 2 AS twice, upper(what), 'x';
INSERT INTO jobs (id) VALUES (5) RETURNING jobs.id, jobs.*;
INSERT INTO jobs AS j (id) VALUES (6) RETURNING j.id, j.what || '!' AS loud;
INSERT INTO jobs (id) SELECT id + 10 FROM jobs WHERE id < 3 ORDER BY id RETURNING id;
INSERT INTO jobs (id) SELECT id FROM jobs WHERE FALSE RETURNING id;
INSERT INTO jobs (id) VALUES (1) RETURNING id;
INSERT INTO jobs (id) VALUES (20) RETURNING nothing;
SELECT COUNT(*) FROM jobs WHERE id = 20;
INSERT INTO jobs (id) VALUES (20) RETURNING 1 / (id - 20);
SELECT COUNT(*) FROM jobs WHERE id = 20;
INSERT INTO jobs (id) VALUES (20) RETURNING COUNT(*);
INSERT INTO jobs (id) VALUES (21) RETURNING (SELECT MAX(hours) FROM jobs) AS longest, done;
-- UPDATE: the new values.
UPDATE jobs SET hours = 3, done = TRUE WHERE id = 2 RETURNING *;
UPDATE jobs SET hours = hours + 0.55 WHERE hours < 4 AND id = 1 RETURNING id + 100 AS id, hours;
UPDATE jobs SET id = 40 WHERE id = 4 RETURNING id, what;
UPDATE jobs SET hours = 0 WHERE id = 99 RETURNING id;
UPDATE jobs AS j SET what = 'idle' WHERE j.id = 5 RETURNING j.what, CASE WHEN j.done THEN 'yes' ELSE 'no' END AS done;
UPDATE jobs SET what = 'far too long to fit' WHERE id = 1 RETURNING id;
UPDATE jobs SET hours = hours RETURNING SUM(hours);
-- DELETE: the old ones.
DELETE FROM jobs WHERE id = 40 RETURNING *;
DELETE FROM jobs WHERE id = 40 RETURNING *;
DELETE FROM jobs WHERE id = 21 RETURNING id, what, hours IS NULL AS free;
DELETE FROM jobs AS j WHERE j.id = 11 RETURNING j.id;
SELECT id, what, hours, done FROM jobs ORDER BY id;
-- ON CONFLICT
INSERT INTO jobs (id, hours) VALUES (1, 9) ON CONFLICT (id) DO UPDATE SET hours = excluded.hours RETURNING id, what, hours;
INSERT INTO jobs (id, hours) VALUES (1, 9), (8, 8) ON CONFLICT DO NOTHING RETURNING id;
INSERT INTO jobs (id, hours) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET hours = 2 WHERE jobs.done RETURNING id;
-- The same as a part of a transaction.
BEGIN;
INSERT INTO jobs (id) VALUES (50) RETURNING id;
UPDATE jobs SET hours = 5 WHERE id = 50 RETURNING hours;
DELETE FROM jobs WHERE id = 50 RETURNING id, hours;
ROLLBACK;
SELECT COUNT(*) FROM jobs WHERE id = 50;
DELETE FROM jobs WHERE id = 1 RETURNING length(what), hours::INT, done::TEXT, NULL AS nothing;
