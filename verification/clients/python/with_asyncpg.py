"""asyncpg: all values in binary, all statements prepared; it reads the types that it does not know from pg_type."""

import asyncio
import datetime
import decimal
import random
import time
import uuid

import asyncpg

from checks import main, same


def on(step):
    """Runs a coroutine with a connection, or with the URL."""

    def run(url):
        async def whole():
            connection = await asyncpg.connect(url)
            try:
                await step(connection, url)
            finally:
                await connection.close()

        asyncio.run(whole())

    run.__name__ = step.__name__
    return run


async def fails(error, action):
    try:
        result = await action
    except error as e:
        return e
    raise AssertionError(f"no {error.__name__}, but {result!r}")


@on
async def connects(connection, url):
    same(connection.get_server_version().major, 15)
    same(connection.get_settings().server_encoding, "UTF8")
    row = await connection.fetchrow("SELECT 1 AS one, $1::text AS two", "x")
    same(dict(row), {"one": 1, "two": "x"})


@on
async def types(connection, url):
    values = (
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
        datetime.datetime(2026, 7, 1, 12, 0, tzinfo=datetime.timezone.utc),
        uuid.UUID("01234567-89ab-cdef-0123-456789abcdef"),
        [1, None, 3],
        ["a b", None, 'c"\\,{}', ""],
    )
    await connection.execute(
        "CREATE TABLE typed (id INT PRIMARY KEY, s SMALLINT, i INT, l BIGINT, n NUMERIC(18, 4), r REAL,"
        " d DOUBLE PRECISION, b BOOLEAN, t TEXT, x BYTEA, day DATE, clock TIME, moment TIMESTAMP,"
        " instant TIMESTAMPTZ, u UUID, numbers INT[], words TEXT[])"
    )
    marks = ", ".join(f"${i}" for i in range(1, 18))
    insert = await connection.prepare(f"INSERT INTO typed VALUES ({marks})")
    same([p.name for p in insert.get_parameters()][:4], ["int4", "int2", "int4", "int8"])
    await insert.fetch(1, *values)
    await connection.executemany(f"INSERT INTO typed VALUES ({marks})", [(2, *([None] * 16)), (3, *values)])
    rows = await connection.fetch("SELECT * FROM typed ORDER BY id")
    for row in (rows[0], rows[2]):
        for actual, expected in zip(tuple(row)[1:], values):
            same(actual, expected)
    same(tuple(rows[1]), (2,) + (None,) * 16)
    same(await connection.fetchval("SELECT $1::interval", datetime.timedelta(1, 5)), datetime.timedelta(1, 5))
    found = await connection.fetchval(
        "SELECT count(*) FROM typed WHERE instant = $1 AND day = ANY ($2) AND words = $3 AND n = $4",
        values[12],
        [values[9]],
        values[15],
        values[3],
    )
    same(found, 2)
    await connection.execute("DROP TABLE typed")


@on
async def looks_up_types(connection, url):
    """Types that are not built into the driver are read by a recursive query of pg_type."""
    statement = await connection.prepare("SELECT oid, ARRAY[oid], ARRAY[1.5], ARRAY[now()] FROM pg_type WHERE oid = $1")
    same([a.type.name for a in statement.get_attributes()], ["oid", "oid[]", "numeric[]", "timestamptz[]"])
    same([p.name for p in statement.get_parameters()], ["oid"])
    same((await statement.fetchrow(23))["oid"], 23)
    await connection.set_type_codec("int4", encoder=str, decoder=lambda text: int(text) + 1000, schema="pg_catalog", format="text")
    same(await connection.fetchval("SELECT $1::int", 5), 1005)
    await connection.reset_type_codec("int4", schema="pg_catalog")


@on
async def transactions(connection, url):
    await connection.execute("CREATE TABLE part (id INT PRIMARY KEY, name TEXT)")
    async with connection.transaction():
        await connection.execute("INSERT INTO part VALUES (1, 'bolt')")
        inner = connection.transaction()
        await inner.start()
        error = await fails(asyncpg.UniqueViolationError, connection.execute("INSERT INTO part VALUES (1, 'nut')"))
        same((error.sqlstate, error.table_name, error.constraint_name), ("23505", "part", "part_pkey"))
        await inner.rollback()
        same(await connection.execute("INSERT INTO part VALUES ($1, $2)", 2, "screw"), "INSERT 0 1")
    same(await connection.fetchval("SELECT count(*) FROM part"), 2)
    transaction = connection.transaction(isolation="repeatable_read", readonly=True)
    await transaction.start()
    await fails(asyncpg.ReadOnlySQLTransactionError, connection.execute("DELETE FROM part"))
    await transaction.rollback()
    error = await fails(asyncpg.NotNullViolationError, connection.execute("INSERT INTO part VALUES (NULL, '')"))
    same(error.column_name, "id")
    await connection.execute("DROP TABLE part")


@on
async def copies(connection, url):
    await connection.execute("CREATE TABLE word (id INT PRIMARY KEY, text TEXT)")

    async def lines():
        for i in range(1000):
            yield b"%d,word %d\n" % (i, i)

    same(await connection.copy_to_table("word", source=lines(), format="csv"), "COPY 1000")
    parts = []

    async def keep(data):
        parts.append(data)

    same(await connection.copy_from_query("SELECT * FROM word WHERE id < $1 ORDER BY id", 3, output=keep), "COPY 3")
    same(b"".join(parts), b"0\tword 0\n1\tword 1\n2\tword 2\n")
    error = await fails(asyncpg.UniqueViolationError, connection.copy_to_table("word", source=lines(), format="csv"))
    same(error.constraint_name, "word_pkey")
    await connection.execute("DELETE FROM word")
    records = [(i, None if i % 7 == 0 else f"w\u00f6rd {i}") for i in range(1000)]
    same(await connection.copy_records_to_table("word", records=records), "COPY 1000")
    same([tuple(row) for row in await connection.fetch("SELECT * FROM word ORDER BY id")], records)
    parts.clear()
    same(await connection.copy_from_table("word", output=keep, format="binary"), "COPY 1000")
    binary = b"".join(parts)
    same((binary[:11], binary[-2:]), (b"PGCOPY\n\xff\r\n\x00", b"\xff\xff"))
    await connection.execute("DELETE FROM word")

    async def pieces():
        for i in range(0, len(binary), 13):
            yield binary[i : i + 13]

    same(await connection.copy_to_table("word", source=pieces(), format="binary"), "COPY 1000")
    same([tuple(row) for row in await connection.fetch("SELECT * FROM word ORDER BY id")], records)
    await connection.execute("DROP TABLE word")


@on
async def cursors(connection, url):
    async with connection.transaction():
        total = 0
        async for row in connection.cursor("SELECT i FROM generate_series(1, $1::int) AS g (i)", 25000, prefetch=1000):
            total += row["i"]
        same(total, 25000 * 25001 // 2)
        cursor = await connection.cursor("SELECT i FROM generate_series(1, 10) AS g (i)")
        same([row[0] for row in await cursor.fetch(3)], [1, 2, 3])
        same([row[0] for row in await cursor.fetch(100)], [4, 5, 6, 7, 8, 9, 10])


@on
async def cancels(connection, url):
    begun = time.monotonic()
    await fails(asyncio.TimeoutError, connection.fetch("SELECT count(*) FROM generate_series(1, 1000000000000)", timeout=0.3))
    same(await connection.fetchval("SELECT 1"), 1)
    assert time.monotonic() - begun < 30


@on
async def pools(connection, url):
    """A pool resets its connections: advisory locks, cursors, LISTEN and settings."""
    async with asyncpg.create_pool(url, min_size=1, max_size=2) as pool:
        async with pool.acquire() as one:
            await one.execute("SET application_name = 'changed'")
        async with pool.acquire() as one:
            same(await one.fetchval("SHOW application_name"), "")


@on
async def conflicts(connection, url):
    await connection.execute("CREATE TABLE tally (id INT PRIMARY KEY, n INT)")
    await connection.execute("INSERT INTO tally VALUES (1, 0), (2, 0)")

    async def add():
        mine = await asyncpg.connect(url)
        for _ in range(50):
            while True:
                try:
                    async with mine.transaction(isolation="repeatable_read"):
                        n = await mine.fetchval("SELECT n FROM tally WHERE id = 1")
                        await mine.execute("UPDATE tally SET n = $1 WHERE id = 1", n + 1)
                        await mine.execute("UPDATE tally SET n = n - 1 WHERE id = 2")
                    break
                except asyncpg.SerializationError:
                    await asyncio.sleep(random.random() * 0.01)
        await mine.close()

    await asyncio.gather(add(), add(), add())
    same([tuple(row) for row in await connection.fetch("SELECT n FROM tally ORDER BY id")], [(150,), (-150,)])
    await connection.execute("DROP TABLE tally")


main(connects, types, looks_up_types, transactions, copies, cursors, cancels, pools, conflicts)
