-- INSERT ... ON CONFLICT: leave the row that is there, or change it.
CREATE TABLE words (word VARCHAR(10) PRIMARY KEY, n INT NOT NULL DEFAULT 1, tag INT UNIQUE, note TEXT);
INSERT INTO words VALUES ('a', 1, 10, 'first'), ('b', 2, 20, NULL);
INSERT INTO words (word) VALUES ('a') ON CONFLICT DO NOTHING;
INSERT INTO words (word) VALUES ('a') ON CONFLICT (word) DO NOTHING;
INSERT INTO words (word) VALUES ('a'), ('c'), ('b') ON CONFLICT DO NOTHING;
SELECT * FROM words ORDER BY word;
INSERT INTO words (word) VALUES ('d'), ('d') ON CONFLICT DO NOTHING;
SELECT COUNT(*) FROM words WHERE word = 'd';
-- DO NOTHING without a target covers every unique constraint, with one only that.
INSERT INTO words (word, tag) VALUES ('e', 10) ON CONFLICT DO NOTHING;
INSERT INTO words (word, tag) VALUES ('e', 10) ON CONFLICT (word) DO NOTHING;
INSERT INTO words (word, tag) VALUES ('e', 10) ON CONFLICT (tag) DO NOTHING;
SELECT COUNT(*) FROM words WHERE word = 'e';
-- DO UPDATE
INSERT INTO words (word) VALUES ('a') ON CONFLICT (word) DO UPDATE SET n = words.n + 1;
SELECT * FROM words WHERE word = 'a';
INSERT INTO words (word, n, note) VALUES ('a', 5, 'new'), ('f', 6, 'f') ON CONFLICT (word) DO UPDATE SET n = words.n + excluded.n, note = excluded.note;
SELECT word, n, note FROM words WHERE word IN ('a', 'f') ORDER BY word;
INSERT INTO words (word, tag) VALUES ('g', 20) ON CONFLICT (tag) DO UPDATE SET word = excluded.word;
SELECT word, tag FROM words WHERE tag = 20;
INSERT INTO words (word, n) VALUES ('a', 100), ('f', 0) ON CONFLICT (word) DO UPDATE SET n = excluded.n WHERE excluded.n > words.n;
SELECT word, n FROM words WHERE word IN ('a', 'f') ORDER BY word;
INSERT INTO words AS w (word, n) VALUES ('a', 1) ON CONFLICT (word) DO UPDATE SET n = w.n - 50, note = DEFAULT RETURNING w.word, n, note;
INSERT INTO words (word) VALUES ('z') ON CONFLICT (word) DO UPDATE SET n = -1 RETURNING word, n;
INSERT INTO words (word) VALUES ('z') ON CONFLICT (word) DO UPDATE SET n = -1 RETURNING word, n;
INSERT INTO words (word) VALUES ('z'), ('y') ON CONFLICT DO NOTHING RETURNING word;
-- A row may be changed only once by one statement.
INSERT INTO words (word) VALUES ('q'), ('q') ON CONFLICT (word) DO UPDATE SET n = 2;
INSERT INTO words (word) VALUES ('a'), ('a') ON CONFLICT (word) DO UPDATE SET n = 2;
SELECT COUNT(*) FROM words WHERE word = 'q';
-- Other constraints still hold.
INSERT INTO words (word, tag) VALUES ('a', 7) ON CONFLICT (word) DO UPDATE SET tag = 20;
INSERT INTO words (word) VALUES ('a') ON CONFLICT (word) DO UPDATE SET n = NULL;
INSERT INTO words (word, n) VALUES ('a', NULL) ON CONFLICT DO NOTHING;
-- A column name alone could mean two rows.
INSERT INTO words (word) VALUES ('a') ON CONFLICT (word) DO UPDATE SET n = n + 1;
INSERT INTO words (word) VALUES ('a') ON CONFLICT (note) DO NOTHING;
INSERT INTO words (word) VALUES ('a') ON CONFLICT (nothing) DO NOTHING;
INSERT INTO words (word) VALUES ('a') ON CONFLICT DO UPDATE SET n = 1;
INSERT INTO words (word) VALUES ('a') ON CONFLICT (word) DO UPDATE SET nothing = 1;
-- From a query, and on a key of two columns.
CREATE TABLE stock (w INT, i INT, q INT, PRIMARY KEY (w, i));
INSERT INTO stock SELECT length(word), n, 1 FROM words WHERE n > 0 ON CONFLICT DO NOTHING;
SELECT * FROM stock ORDER BY w, i;
INSERT INTO stock VALUES (1, 1, 5), (2, 2, 6) ON CONFLICT (w, i) DO UPDATE SET q = stock.q + excluded.q;
SELECT * FROM stock ORDER BY w, i;
INSERT INTO stock VALUES (1, 1, 9) ON CONFLICT (i, w) DO UPDATE SET (q, i) = (excluded.q, 77);
INSERT INTO stock VALUES (1, 1, 9) ON CONFLICT (w) DO NOTHING;
SELECT * FROM stock ORDER BY w, i;

-- A row that WHERE keeps from being changed may come again; one that was changed may not, under its new key either.
CREATE TABLE again (id INT PRIMARY KEY, v INT);
INSERT INTO again VALUES (1, 1);
INSERT INTO again VALUES (1, 2), (1, 3) ON CONFLICT (id) DO UPDATE SET v = excluded.v WHERE excluded.v = 3;
SELECT * FROM again ORDER BY id;
INSERT INTO again VALUES (1, 5), (7, 6) ON CONFLICT (id) DO UPDATE SET id = 7;
INSERT INTO again VALUES (1, 5), (1, 6) ON CONFLICT (id) DO UPDATE SET v = excluded.v;
SELECT * FROM again ORDER BY id;
DROP TABLE again;
-- Where several unique keys collide, the one that is meant counts.
CREATE TABLE pair (a INT PRIMARY KEY, b INT UNIQUE, c TEXT);
INSERT INTO pair VALUES (1, 1, 'first'), (2, 2, 'second');
INSERT INTO pair VALUES (1, 1, 'x') ON CONFLICT (b) DO UPDATE SET c = 'updated' RETURNING *;
INSERT INTO pair VALUES (1, 2, 'x') ON CONFLICT (b) DO NOTHING;
INSERT INTO pair VALUES (1, 2, 'x') ON CONFLICT (b) DO UPDATE SET c = 'of the second' RETURNING *;
INSERT INTO pair VALUES (1, 2, 'x') ON CONFLICT (b) DO UPDATE SET a = excluded.a;
INSERT INTO pair VALUES (1, 3, 'x') ON CONFLICT (b) DO NOTHING;
SELECT * FROM pair ORDER BY a;
