"""psycopg 3: parameters are sent apart from the text, as text or in binary; statements are prepared after five executions."""

import datetime
import decimal
import threading
import time
import uuid

import psycopg
from psycopg.rows import dict_row

from checks import fails, main, retried, same, together


def connects(url):
    with psycopg.connect(url) as connection:
        same(connection.info.server_version // 10000, 15)
        same(connection.info.parameter_status("server_encoding"), "UTF8")
        same(connection.execute("SELECT current_user, 1").fetchone(), ("namdb", 1))
        rows = connection.cursor(row_factory=dict_row).execute("SELECT 1 AS one, NULL AS two").fetchall()
        same(rows, [{"one": 1, "two": None}])


VALUES = (
    -32768,
    2**31 - 1,
    -(2**63),
    decimal.Decimal("-12345678.0900"),
    1.5,
    -2.5e300,
    True,
    "Gräfin €😀 \\ \n",
    b"\x00\x01\xff\\'",
    datetime.date(1969, 12, 31),
    datetime.time(23, 59, 59, 123456),
    datetime.datetime(2026, 1, 31, 12, 0, 0, 1),
    datetime.datetime(2026, 7, 1, 12, 0, tzinfo=datetime.timezone(datetime.timedelta(hours=2))),
    uuid.UUID("01234567-89ab-cdef-0123-456789abcdef"),
    [1, None, 3],
    ["a b", None, 'c"\\,{}', ""],
)


def types(url):
    with psycopg.connect(url) as connection:
        connection.execute(
            "CREATE TABLE typed (id INT PRIMARY KEY, s SMALLINT, i INT, l BIGINT, n NUMERIC(18, 4), r REAL,"
            " d DOUBLE PRECISION, b BOOLEAN, t TEXT, x BYTEA, day DATE, clock TIME, moment TIMESTAMP,"
            " instant TIMESTAMPTZ, u UUID, numbers INT[], words TEXT[])"
        )
        for number, format in enumerate(["s", "t", "b"]):
            marks = ", ".join(["%" + format] * 16)
            for insert in (1, 2, 3):
                connection.execute(f"INSERT INTO typed VALUES ({insert + 10 * number}, {marks})", VALUES)
            connection.execute(f"INSERT INTO typed VALUES ({10 * number}, {marks})", (None,) * 16)
        for binary in (False, True):
            rows = connection.cursor(binary=binary).execute("SELECT * FROM typed ORDER BY id").fetchall()
            same(len(rows), 12)
            for row in rows:
                if row[0] % 10 == 0:
                    same(row[1:], (None,) * 16)
                else:
                    for actual, expected in zip(row[1:], VALUES):
                        same(actual, expected)
            cursor = connection.cursor(binary=binary)
            cursor.execute("SELECT %s::interval, %s::float8[], ARRAY[now()] = ARRAY[now()]", (datetime.timedelta(1, 5), [1.5, None]))
            same(cursor.fetchone(), (datetime.timedelta(1, 5), [1.5, None], True))
        found = connection.execute(
            "SELECT count(*) FROM typed WHERE instant = %s AND u = %s AND day = ANY (%s) AND x = %s AND words = %s",
            (VALUES[12], VALUES[13], [VALUES[9]], VALUES[8], VALUES[15]),
        )
        same(found.fetchone(), (9,))
        connection.execute("DROP TABLE typed")


def transactions(url):
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE part (id INT PRIMARY KEY, name TEXT)")
        with connection.transaction():
            connection.execute("INSERT INTO part VALUES (1, 'bolt')")
            with connection.transaction(force_rollback=True):
                connection.execute("INSERT INTO part VALUES (2, 'nut')")

            def duplicate():
                with connection.transaction():
                    connection.execute("INSERT INTO part VALUES (1, 'washer')")

            same(fails(psycopg.errors.UniqueViolation, duplicate).diag.constraint_name, "part_pkey")
            connection.execute("INSERT INTO part VALUES (3, 'screw')")
        same(connection.execute("SELECT id FROM part ORDER BY id").fetchall(), [(1,), (3,)])
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True

        def delete():
            with connection.transaction():
                connection.execute("DELETE FROM part")

        fails(psycopg.errors.ReadOnlySqlTransaction, delete)
        connection.execute("DROP TABLE part")


def pipelines(url):
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE part (id INT PRIMARY KEY, name TEXT)")
        with connection.pipeline():
            cursors = [connection.execute("INSERT INTO part VALUES (%s, %s) RETURNING id", (i, "x")) for i in range(50)]
        same([cursor.fetchone() for cursor in cursors], [(i,) for i in range(50)])

        def broken():
            with connection.pipeline():
                connection.execute("INSERT INTO part VALUES (100, 'x')")
                connection.execute("INSERT INTO part VALUES (1, 'x')")
                connection.execute("INSERT INTO part VALUES (101, 'x')")

        fails(psycopg.errors.UniqueViolation, broken)
        same(connection.execute("SELECT count(*) FROM part").fetchone(), (50,))
        cursor = connection.cursor()
        cursor.executemany("INSERT INTO part VALUES (%s, %s) RETURNING id", [(i, "y") for i in range(200, 203)], returning=True)
        ids = []
        while True:
            ids += cursor.fetchall()
            if not cursor.nextset():
                break
        same(ids, [(200,), (201,), (202,)])
        connection.execute("DROP TABLE part")


def copies(url):
    with psycopg.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE word (id INT PRIMARY KEY, text TEXT, day DATE)")
        with cursor.copy("COPY word (id, text, day) FROM STDIN") as copy:
            for i in range(5000):
                copy.write_row((i, None if i % 7 == 0 else f"word\t{i}", datetime.date(2026, 1, 1)))
        same(cursor.rowcount, 5000)
        with cursor.copy("COPY (SELECT id, text, day FROM word ORDER BY id) TO STDOUT") as copy:
            copy.set_types(["int4", "text", "date"])
            rows = list(copy.rows())
        same(len(rows), 5000)
        same(rows[6:8], [(6, "word\t6", datetime.date(2026, 1, 1)), (7, None, datetime.date(2026, 1, 1))])

        def given_up():
            with connection.transaction(), cursor.copy("COPY word FROM STDIN") as copy:
                copy.write_row((9000, "x", None))
                raise KeyError

        fails(psycopg.errors.QueryCanceled, given_up)
        same(connection.execute("SELECT count(*) FROM word").fetchone(), (5000,))
        with cursor.copy("COPY (SELECT * FROM word ORDER BY id) TO STDOUT (FORMAT BINARY)") as copy:
            copy.set_types(["int4", "text", "date"])
            same(list(copy.rows()), rows)
        connection.execute("DELETE FROM word")
        with cursor.copy("COPY word FROM STDIN WITH (FORMAT BINARY)") as copy:
            copy.set_types(["int4", "text", "date"])
            for row in rows:
                copy.write_row(row)
        same(connection.execute("SELECT * FROM word ORDER BY id").fetchall(), rows)
        connection.execute("DROP TABLE word")


def cursors(url):
    with psycopg.connect(url) as connection:
        for binary in (False, True):
            with connection.cursor("some", binary=binary) as cursor:
                cursor.itersize = 1000
                cursor.execute("SELECT i, i::text FROM generate_series(1, %s) AS g (i)", (25000,))
                same(cursor.description[0].type_code, 23)
                same(sum(i for i, _ in cursor), 25000 * 25001 // 2)
        with connection.cursor("parts", scrollable=True) as cursor:
            cursor.execute("SELECT i FROM generate_series(1, 10) AS g (i)")
            same(cursor.fetchmany(2), [(1,), (2,)])
            cursor.scroll(3)
            same(cursor.fetchone(), (6,))
            cursor.scroll(1, mode="absolute")
            same(cursor.fetchone(), (2,))
            cursor.scroll(-2)
            same(cursor.fetchall(), [(i,) for i in range(1, 11)])
        streamed = connection.cursor().stream("SELECT i FROM generate_series(1, %s) AS g (i)", (25000,))
        same(sum(i for (i,) in streamed), 25000 * 25001 // 2)


def cancels(url):
    with psycopg.connect(url) as connection:
        timer = threading.Timer(0.3, connection.cancel)
        timer.start()
        begun = time.monotonic()
        fails(psycopg.errors.QueryCanceled, connection.execute, "SELECT count(*) FROM generate_series(1, 1000000000000)")
        assert time.monotonic() - begun < 30
        timer.join()
        connection.rollback()
        connection.execute("SET statement_timeout = 200")
        fails(psycopg.errors.QueryCanceled, connection.execute, "SELECT count(*) FROM generate_series(1, 1000000000000)")


def prepares(url):
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE part (id INT PRIMARY KEY, name TEXT)")
        connection.execute("INSERT INTO part VALUES (1, 'bolt')")
        connection.commit()
        for _ in range(10):
            same(connection.execute("SELECT * FROM part WHERE id = %s", (1,)).fetchall(), [(1, "bolt")])
        connection.execute("ALTER TABLE part ADD COLUMN price INT DEFAULT 3")
        changed = fails(psycopg.errors.FeatureNotSupported, connection.execute, "SELECT * FROM part WHERE id = %s", (1,))
        same(changed.diag.message_primary, "cached plan must not change result type")
        connection.rollback()
        connection.execute("DROP TABLE part")
    # psycopg drops the statements that it has used least by DEALLOCATE, and a new one may have the text of an old one.
    with psycopg.connect(url, autocommit=True) as connection:
        connection.prepared_max = 2
        for _ in range(2):
            for number in range(4):
                same(connection.execute(f"SELECT %s + {number}", (1,), prepare=True).fetchone(), (number + 1,))
        same(connection.execute("SELECT count(*) <= 2, bool_and(NOT from_sql) FROM pg_prepared_statements").fetchone(), (True, True))


def conflicts(url):
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE tally (id INT PRIMARY KEY, n INT)")
        connection.execute("INSERT INTO tally VALUES (1, 0), (2, 0)")

    def add():
        with psycopg.connect(url, autocommit=True) as mine:
            mine.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ

            def transaction():
                with mine.transaction():
                    (n,) = mine.execute("SELECT n FROM tally WHERE id = 1").fetchone()
                    mine.execute("UPDATE tally SET n = %s WHERE id = 1", (n + 1,))
                    mine.execute("UPDATE tally SET n = n - 1 WHERE id = 2")

            for _ in range(50):
                retried(transaction, lambda e: isinstance(e, psycopg.errors.SerializationFailure))

    together(add, add, add)
    with psycopg.connect(url) as connection:
        same(connection.execute("SELECT n FROM tally ORDER BY id").fetchall(), [(150,), (-150,)])
        connection.execute("DROP TABLE tally")


main(connects, types, transactions, pipelines, copies, cursors, cancels, prepares, conflicts)
