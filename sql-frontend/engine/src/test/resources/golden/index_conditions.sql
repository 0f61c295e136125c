-- Beginnings of texts and NULL, with and without indexes.
CREATE TABLE words (id INT PRIMARY KEY, word VARCHAR(12), code CHAR(4), lang TEXT, n INT);
INSERT INTO words VALUES
    (1, 'apple', 'a', 'en', 1), (2, 'apply', 'a b', 'en', NULL), (3, 'ap', 'ab', NULL, 3), (4, 'banana', 'b', 'fr', NULL),
    (5, '', '', 'de', 5), (6, NULL, NULL, 'de', 6), (7, 'a_b', 'a_b', 'en', NULL), (8, 'a%b', 'a%b', NULL, NULL),
    (9, 'äpfel', 'ä', 'de', 9), (10, 'appÿ', 'ÿ', 'fr', 10), (11, 'app𝄞', '𝄞', NULL, 11), (12, 'ap ', 'ab', 'en', 12);
SELECT id FROM words WHERE word LIKE 'app%' ORDER BY id;
CREATE INDEX words_word ON words (word);
CREATE INDEX words_code ON words (code, word);
CREATE INDEX words_lang ON words USING HASH (lang);
CREATE INDEX words_lang_n ON words (lang, n);
CREATE UNIQUE INDEX words_n ON words (n);
SELECT id FROM words WHERE word LIKE 'app%' ORDER BY id;
SELECT id FROM words WHERE word LIKE 'ap%' AND word > 'app' ORDER BY id;
SELECT id FROM words WHERE word LIKE 'a\_%' ORDER BY id;
SELECT id FROM words WHERE word LIKE 'a!%%' ESCAPE '!' ORDER BY id;
SELECT id FROM words WHERE word LIKE 'a\%' ESCAPE '' ORDER BY id;
SELECT id FROM words WHERE word LIKE 'ap_%e' ORDER BY id;
SELECT id FROM words WHERE word LIKE 'apple' ORDER BY id;
SELECT id FROM words WHERE word LIKE 'a\_b' ORDER BY id;
SELECT id FROM words WHERE word LIKE 'ap %' ORDER BY id;
SELECT id FROM words WHERE word LIKE '%' ORDER BY id;
SELECT id FROM words WHERE word LIKE '' ORDER BY id;
SELECT id FROM words WHERE word LIKE NULL ORDER BY id;
SELECT id FROM words WHERE word LIKE 'appÿ%' OR word LIKE 'app𝄞%' ORDER BY id;
SELECT id FROM words WHERE word LIKE 'much longer than any of these%' ORDER BY id;
SELECT id FROM words WHERE word NOT LIKE 'a%' ORDER BY id;
SELECT id FROM words WHERE word ILIKE 'APP%' ORDER BY id;
SELECT id, word FROM words WHERE word LIKE 'ap%' ORDER BY word DESC NULLS LAST LIMIT 3;
SELECT id FROM words WHERE starts_with(word, 'app') ORDER BY id;
SELECT id FROM words WHERE starts_with(word, '') ORDER BY id;
SELECT id FROM words WHERE starts_with(word, 'a%') ORDER BY id;
-- CHAR is matched with its blanks.
SELECT id FROM words WHERE code LIKE 'a%' ORDER BY id;
SELECT id FROM words WHERE code LIKE 'a %' ORDER BY id;
SELECT id FROM words WHERE code LIKE 'a' ORDER BY id;
SELECT id FROM words WHERE code LIKE 'a   ' ORDER BY id;
SELECT id FROM words WHERE code LIKE 'ab  %' ORDER BY id;
SELECT id FROM words WHERE code LIKE '  %' ORDER BY id;
SELECT id FROM words WHERE code = 'ab' AND word LIKE 'ap%' ORDER BY id;
SELECT id FROM words WHERE starts_with(code, 'a ') ORDER BY id;
-- A pattern that is known when the statement runs.
PREPARE beginning(TEXT) AS SELECT id FROM words WHERE word LIKE $1 ORDER BY id;
EXECUTE beginning('app%');
EXECUTE beginning('%a');
EXECUTE beginning('a\_b');
EXECUTE beginning('%');
EXECUTE beginning('');
EXECUTE beginning(NULL);
EXECUTE beginning('banan\');
PREPARE start(TEXT) AS SELECT id FROM words WHERE starts_with(word, $1) ORDER BY id;
EXECUTE start('a');
EXECUTE start('');
EXECUTE start(NULL);
SELECT a.id, b.id FROM words a JOIN words b ON b.word LIKE a.word || '%' WHERE a.id IN (1, 3, 5) ORDER BY a.id, b.id;
-- NULL.
SELECT id FROM words WHERE word IS NULL ORDER BY id;
SELECT id FROM words WHERE lang IS NULL ORDER BY id;
SELECT id FROM words WHERE lang IS NULL AND n > 3 ORDER BY id;
SELECT id FROM words WHERE lang = 'en' AND n IS NULL ORDER BY id;
SELECT id FROM words WHERE lang = 'en' AND n IS NOT NULL ORDER BY id;
SELECT id FROM words WHERE (lang IS NULL OR lang = 'de') AND n > 8 ORDER BY id;
SELECT id FROM words WHERE n IS NULL ORDER BY id;
SELECT id FROM words WHERE n = 3 OR n IS NULL ORDER BY id;
SELECT id FROM words WHERE n IN (3, NULL) ORDER BY id;
SELECT id FROM words WHERE n IS NOT NULL AND n IS NULL;
SELECT id, n FROM words WHERE lang = 'en' ORDER BY n NULLS FIRST, id;
SELECT word FROM words WHERE word IS NOT NULL ORDER BY word DESC NULLS LAST LIMIT 2;
SELECT word FROM words ORDER BY word DESC LIMIT 2;
SELECT word FROM words ORDER BY word NULLS FIRST LIMIT 2;
SELECT lang, n FROM words WHERE n > 4 ORDER BY lang DESC, n DESC LIMIT 3;
SELECT a.id, b.id FROM words a LEFT JOIN words b ON b.n = a.n AND b.lang IS NULL WHERE a.id < 5 ORDER BY a.id;
SELECT a.id FROM words a LEFT JOIN words b ON b.n = a.id AND b.lang = 'de' WHERE b.lang IS NULL ORDER BY a.id;
-- Changes are seen.
UPDATE words SET word = NULL, lang = NULL WHERE id = 1;
SELECT id FROM words WHERE word LIKE 'app%' ORDER BY id;
SELECT id FROM words WHERE word IS NULL ORDER BY id;
SELECT id FROM words WHERE lang IS NULL ORDER BY id;
UPDATE words SET n = 1 WHERE n IS NULL AND word LIKE 'appl%';
DELETE FROM words WHERE word IS NULL;
SELECT id FROM words WHERE word IS NULL OR lang IS NULL ORDER BY id;
DROP TABLE words;
