"""psycopg2 by itself: parameters are put into the text by the driver."""

import datetime
import decimal
import io
import threading
import time
import uuid

import psycopg2
import psycopg2.errors
import psycopg2.extensions
import psycopg2.extras

from checks import fails, main, retried, same, together


def connects(url):
    with psycopg2.connect(url) as connection:
        same(connection.server_version // 10000, 15)
        same(connection.encoding, "UTF8")
        same(connection.get_parameter_status("standard_conforming_strings"), "on")
        same(connection.get_transaction_status(), psycopg2.extensions.TRANSACTION_STATUS_IDLE)
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 AS one, 'x'::text AS two")
            same([column.name for column in cursor.description], ["one", "two"])
            same([column.type_code for column in cursor.description], [23, 25])
            same(cursor.fetchone(), (1, "x"))
        same(connection.get_transaction_status(), psycopg2.extensions.TRANSACTION_STATUS_INTRANS)
    connection.close()


def types(url):
    psycopg2.extras.register_uuid()
    berlin = datetime.timezone(datetime.timedelta(hours=2))
    values = (
        -32768,
        2**31 - 1,
        -(2**63),
        decimal.Decimal("-12345678.0900"),
        1.5,
        -2.5e300,
        True,
        "Gräfin €😀 'quoted' \\ \n",
        b"\x00\x01\xff\\'",
        datetime.date(1969, 12, 31),
        datetime.time(23, 59, 59, 123456),
        datetime.datetime(2026, 1, 31, 12, 0, 0, 1),
        datetime.datetime(2026, 7, 1, 12, 0, tzinfo=berlin),
        uuid.UUID("01234567-89ab-cdef-0123-456789abcdef"),
        [1, None, 3],
        ["a b", None, 'c"\\,{}', ""],
    )
    with psycopg2.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE typed (id INT PRIMARY KEY, s SMALLINT, i INT, l BIGINT, n NUMERIC(18, 4), r REAL,"
            " d DOUBLE PRECISION, b BOOLEAN, t TEXT, x BYTEA, day DATE, clock TIME, moment TIMESTAMP,"
            " instant TIMESTAMPTZ, u UUID, numbers INT[], words TEXT[])"
        )
        cursor.execute("INSERT INTO typed VALUES (1, " + ", ".join(["%s"] * 16) + ")", values)
        cursor.execute("INSERT INTO typed VALUES (%s, " + ", ".join(["%s"] * 16) + ")", (2,) + (None,) * 16)
        cursor.execute("SELECT * FROM typed ORDER BY id")
        read, nulls = cursor.fetchall()
        read = read[:9] + (bytes(read[9]),) + read[10:]
        for actual, expected in zip(read[1:], values):
            same(actual, expected)
        same(nulls, (2,) + (None,) * 16)
        cursor.execute("SELECT id FROM typed WHERE instant = %s AND u = %s AND day = ANY (%s)", (values[12], values[13], [values[9]]))
        same(cursor.fetchall(), [(1,)])
        cursor.execute("SELECT %s::interval, ARRAY[%s], now() - now()", (datetime.timedelta(days=1, seconds=5), decimal.Decimal("1.50")))
        same(cursor.fetchone(), (datetime.timedelta(days=1, seconds=5), [decimal.Decimal("1.50")], datetime.timedelta(0)))
        cursor.execute("SET TIME ZONE 'Asia/Kolkata'")
        cursor.execute("SELECT instant FROM typed WHERE id = 1")
        (instant,) = cursor.fetchone()
        same(instant, values[12])
        same(instant.utcoffset(), datetime.timedelta(hours=5, minutes=30))
        cursor.execute("DROP TABLE typed")
    connection.close()


def transactions(url):
    connection = psycopg2.connect(url)
    cursor = connection.cursor()
    cursor.execute("CREATE TABLE part (id INT PRIMARY KEY, name TEXT)")
    connection.commit()
    cursor.execute("INSERT INTO part VALUES (1, 'bolt')")
    connection.rollback()
    cursor.execute("SELECT count(*) FROM part")
    same(cursor.fetchone(), (0,))
    cursor.execute("INSERT INTO part VALUES (2, 'nut')")
    cursor.execute("SAVEPOINT here")
    fails(psycopg2.errors.UniqueViolation, cursor.execute, "INSERT INTO part VALUES (2, 'washer')")
    same(connection.get_transaction_status(), psycopg2.extensions.TRANSACTION_STATUS_INERROR)
    fails(psycopg2.errors.InFailedSqlTransaction, cursor.execute, "SELECT 1")
    cursor.execute("ROLLBACK TO SAVEPOINT here")
    cursor.execute("RELEASE SAVEPOINT here")
    connection.commit()
    connection.set_session(isolation_level="REPEATABLE READ", readonly=True)
    cursor.execute("SHOW transaction_isolation")
    same(cursor.fetchone(), ("repeatable read",))
    fails(psycopg2.errors.ReadOnlySqlTransaction, cursor.execute, "DELETE FROM part")
    connection.rollback()
    connection.set_session(isolation_level="DEFAULT", readonly=False, autocommit=True)
    cursor.execute("SELECT * FROM part")
    same(cursor.fetchall(), [(2, "nut")])
    cursor.execute("DROP TABLE part")
    connection.close()


def errors(url):
    connection = psycopg2.connect(url)
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("CREATE TABLE parent (id INT PRIMARY KEY, code VARCHAR(3) UNIQUE NOT NULL, n INT CONSTRAINT small CHECK (n < 10))")
    cursor.execute("CREATE TABLE child (id INT PRIMARY KEY, parent INT REFERENCES parent)")
    cursor.execute("INSERT INTO parent VALUES (1, 'abc', 1)")
    cursor.execute("INSERT INTO child VALUES (1, 1)")
    for sql, state, table, column, constraint in [
        ("INSERT INTO parent VALUES (1, 'x', 1)", "23505", "parent", None, "parent_pkey"),
        ("INSERT INTO parent VALUES (2, 'abc', 1)", "23505", "parent", None, "parent_code_key"),
        ("INSERT INTO parent VALUES (2, NULL, 1)", "23502", "parent", "code", None),
        ("INSERT INTO parent VALUES (2, 'x', 10)", "23514", "parent", None, "small"),
        ("INSERT INTO parent VALUES (2, 'long', 1)", "22001", None, None, None),
        ("INSERT INTO child VALUES (2, 2)", "23503", "child", None, "child_parent_fkey"),
        ("DELETE FROM parent", "23503", "child", None, "child_parent_fkey"),
        ("SELECT * FROM nowhere", "42P01", None, None, None),
        ("SELECT nothing FROM parent", "42703", None, None, None),
        ("SELECT 1 / 0", "22012", None, None, None),
        ("SELEC 1", "42601", None, None, None),
    ]:
        error = fails(psycopg2.Error, cursor.execute, sql)
        diagnostics = error.diag
        same(error.pgcode, state)
        same((diagnostics.table_name, diagnostics.column_name, diagnostics.constraint_name), (table, column, constraint))
        same(diagnostics.severity, "ERROR")
    cursor.execute("DROP TABLE child; DROP TABLE parent")
    cursor.execute("DROP TABLE IF EXISTS parent")
    same(connection.notices, ['NOTICE:  table "parent" does not exist, skipping\n'])
    connection.close()


def copies(url):
    with psycopg2.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE word (id INT PRIMARY KEY, text TEXT)")
        cursor.copy_from(io.StringIO("1\ta\\tb\n2\t\\N\n"), "word")
        cursor.copy_expert("COPY word FROM STDIN WITH (FORMAT csv)", io.StringIO('3,"x,y"\n'))
        same(cursor.rowcount, 1)
        out = io.StringIO()
        cursor.copy_to(out, "word")
        same(out.getvalue(), "1\ta\\tb\n2\t\\N\n3\tx,y\n")
        cursor.execute("SAVEPOINT here")
        error = fails(psycopg2.DataError, cursor.copy_from, io.StringIO("x\ty\n"), "word")
        same(error.pgcode, "22P02")
        cursor.execute("ROLLBACK TO here")
        psycopg2.extras.execute_values(cursor, "INSERT INTO word VALUES %s", [(i, str(i)) for i in range(10, 1010)])
        psycopg2.extras.execute_batch(cursor, "UPDATE word SET text = %s WHERE id = %s", [("t", i) for i in range(10, 60)])
        cursor.execute("SELECT count(*), count(*) FILTER (WHERE text = 't') FROM word")
        same(cursor.fetchone(), (1003, 50))
        cursor.execute("DROP TABLE word")
    connection.close()


def cursors(url):
    with psycopg2.connect(url) as connection:
        with connection.cursor("some") as cursor:
            cursor.itersize = 1000
            cursor.execute("SELECT i FROM generate_series(1, %s) AS g (i)", (25000,))
            same(sum(i for (i,) in cursor), 25000 * 25001 // 2)
        with connection.cursor("parts") as cursor:
            cursor.execute("SELECT i FROM generate_series(1, 10) AS g (i)")
            same(cursor.fetchone(), (1,))
            same(cursor.fetchmany(2), [(2,), (3,)])
            cursor.scroll(3)
            same(cursor.fetchall(), [(7,), (8,), (9,), (10,)])
            same(cursor.fetchone(), None)
        with connection.cursor("held", withhold=True) as cursor:
            cursor.execute("SELECT i FROM generate_series(1, 3) AS g (i)")
            connection.commit()
            same(cursor.fetchall(), [(1,), (2,), (3,)])
    connection.close()


def cancels(url):
    connection = psycopg2.connect(url)
    cursor = connection.cursor()
    timer = threading.Timer(0.3, connection.cancel)
    timer.start()
    begun = time.monotonic()
    fails(psycopg2.errors.QueryCanceled, cursor.execute, "SELECT count(*) FROM generate_series(1, 1000000000000)")
    assert time.monotonic() - begun < 30
    timer.join()
    connection.rollback()
    cursor.execute("SELECT 1")
    same(cursor.fetchone(), (1,))
    connection.close()


def prepares(url):
    with psycopg2.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute("PREPARE twice (int) AS SELECT $1 * 2")
        for i in range(7):
            cursor.execute("EXECUTE twice (%s)", (i,))
            same(cursor.fetchone(), (2 * i,))
        cursor.execute("DEALLOCATE twice")
        fails(psycopg2.errors.InvalidSqlStatementName, cursor.execute, "EXECUTE twice (1)")
        connection.rollback()
    connection.close()


def conflicts(url):
    with psycopg2.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE tally (id INT PRIMARY KEY, n INT)")
        cursor.execute("INSERT INTO tally VALUES (1, 0), (2, 0)")

    def add():
        mine = psycopg2.connect(url)
        mine.set_session(isolation_level="REPEATABLE READ")

        def transaction():
            try:
                with mine.cursor() as own:
                    own.execute("SELECT n FROM tally WHERE id = 1")
                    (n,) = own.fetchone()
                    own.execute("UPDATE tally SET n = %s WHERE id = 1", (n + 1,))
                    own.execute("UPDATE tally SET n = n - 1 WHERE id = 2")
                mine.commit()
            except Exception:
                mine.rollback()
                raise

        for _ in range(50):
            retried(transaction, lambda e: isinstance(e, psycopg2.errors.SerializationFailure))
        mine.close()

    together(add, add, add)
    with connection.cursor() as cursor:
        cursor.execute("SELECT n FROM tally ORDER BY id")
        same(cursor.fetchall(), [(150,), (-150,)])
        cursor.execute("DROP TABLE tally")
    connection.commit()
    connection.close()


main(connects, types, transactions, errors, copies, cursors, cancels, prepares, conflicts)
