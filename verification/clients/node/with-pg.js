// node-postgres: `node with-pg.js URL` runs the steps, and exits with 1 if one has failed.
'use strict';

const assert = require('node:assert/strict');
const { Readable } = require('node:stream');
const { pipeline } = require('node:stream/promises');
const { Client, Pool, types } = require('pg');
const Cursor = require('pg-cursor');
const QueryStream = require('pg-query-stream');
const copy = require('pg-copy-streams');

const url = process.argv[2];

async function connected(action, options = {}) {
  const client = new Client({ connectionString: url, ...options });
  await client.connect();
  try {
    return await action(client);
  } finally {
    await client.end();
  }
}

async function fails(promise, state) {
  try {
    await promise;
  } catch (error) {
    assert.equal(error.code, state, error.message);
    return error;
  }
  throw new assert.AssertionError({ message: `no error ${state}` });
}

const steps = {
  async connects() {
    await connected(async (client) => {
      const result = await client.query("SELECT 1 AS one, 'x'::text AS two, NULL AS three");
      assert.deepEqual(result.rows, [{ one: 1, two: 'x', three: null }]);
      assert.deepEqual(result.fields.map((field) => field.dataTypeID), [23, 25, 25]);
      assert.equal(result.command, 'SELECT');
      const array = await client.query({ text: 'SELECT 1, 2', rowMode: 'array' });
      assert.deepEqual(array.rows, [[1, 2]]);
      const several = await client.query('SELECT 1 AS a; SELECT 2 AS b');
      assert.deepEqual(several.map((each) => each.rows), [[{ a: 1 }], [{ b: 2 }]]);
    });
  },

  async types() {
    const values = [
      -32768, 2147483647, '-9223372036854775808', '-12345678.0900', 1.5, -2.5e300, true,
      'Gräfin €😀 \\ \n', Buffer.from([0, 1, 255, 92]), '1969-12-31', '23:59:59.123456',
      new Date(2026, 0, 31, 12, 0, 0, 1), new Date(Date.UTC(2026, 6, 1, 10)),
      '01234567-89ab-cdef-0123-456789abcdef', [1, null, 3], ['a b', null, 'c"\\,{}', ''],
    ];
    types.setTypeParser(1082, (text) => text);
    for (const binary of [false, true]) {
      await connected(async (client) => {
        await client.query('CREATE TABLE typed (id INT PRIMARY KEY, s SMALLINT, i INT, l BIGINT, n NUMERIC(18, 4),'
          + ' r REAL, d DOUBLE PRECISION, b BOOLEAN, t TEXT, x BYTEA, day DATE, clock TIME, moment TIMESTAMP,'
          + ' instant TIMESTAMPTZ, u UUID, numbers INT[], words TEXT[])');
        const marks = values.map((_, i) => `$${i + 2}`).join(', ');
        await client.query(`INSERT INTO typed VALUES ($1, ${marks})`, [1, ...values]);
        await client.query(`INSERT INTO typed VALUES ($1, ${marks})`, [2, ...values.map(() => null)]);
        const columns = binary ? 's, i, r, d, b, t, x' : '*';
        const { rows } = await client.query({ text: `SELECT ${columns} FROM typed ORDER BY id`, rowMode: 'array', values: [], binary });
        assert.deepEqual(rows[0], binary ? [0, 1, 4, 5, 6, 7, 8].map((i) => values[i]) : [1, ...values]);
        assert.deepEqual(rows[1], binary ? Array(7).fill(null) : [2, ...values.map(() => null)]);
        const found = await client.query(
          'SELECT id FROM typed WHERE instant = $1 AND u = $2 AND i = ANY ($3) AND x = $4 AND words = $5',
          [values[12], values[13], [values[1]], values[8], values[15]]);
        assert.deepEqual(found.rows, [{ id: 1 }]);
        await client.query('DROP TABLE typed');
      });
    }
  },

  async transactions() {
    await connected(async (client) => {
      await client.query('CREATE TABLE part (id INT PRIMARY KEY, name TEXT)');
      await client.query('BEGIN');
      await client.query("INSERT INTO part VALUES (1, 'bolt')");
      await client.query('SAVEPOINT here');
      const error = await fails(client.query("INSERT INTO part VALUES (1, 'nut')"), '23505');
      assert.deepEqual([error.table, error.constraint, error.severity], ['part', 'part_pkey', 'ERROR']);
      await fails(client.query('SELECT 1'), '25P02');
      await client.query('ROLLBACK TO here');
      await client.query('COMMIT');
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await fails(client.query('DELETE FROM part'), '25006');
      await client.query('ROLLBACK');
      const changed = await client.query("UPDATE part SET name = 'screw' RETURNING *");
      assert.deepEqual([changed.rowCount, changed.rows], [1, [{ id: 1, name: 'screw' }]]);
      const nowhere = await fails(client.query('SELECT * FROM nowhere'), '42P01');
      assert.equal(nowhere.position, '15');
      const missing = await fails(client.query('INSERT INTO part VALUES ($1)', [null]), '23502');
      assert.equal(missing.column, 'id');
      const notices = [];
      client.on('notice', (notice) => notices.push(notice.message));
      await client.query('DROP TABLE part; DROP TABLE IF EXISTS part');
      assert.deepEqual(notices, ['table "part" does not exist, skipping']);
    });
  },

  async prepares() {
    await connected(async (client) => {
      await client.query('CREATE TABLE part (id INT PRIMARY KEY, name TEXT)');
      for (let i = 0; i < 20; i++) {
        await client.query({ name: 'add', text: 'INSERT INTO part VALUES ($1, $2)', values: [i, `part ${i}`] });
      }
      const { rows } = await client.query({ name: 'sum', text: 'SELECT sum(id)::int FROM part WHERE id < $1', values: [3] });
      assert.deepEqual(rows, [{ sum: 3 }]);
      const again = await client.query({ name: 'sum', values: [5] });
      assert.deepEqual(again.rows, [{ sum: 10 }]);
      await client.query('DROP TABLE part');
    });
  },

  async copies() {
    await connected(async (client) => {
      await client.query('CREATE TABLE word (id INT PRIMARY KEY, text TEXT)');
      const lines = Array.from({ length: 5000 }, (_, i) => `${i}\tword ${i}\n`);
      const into = client.query(copy.from('COPY word FROM STDIN'));
      await pipeline(Readable.from(lines), into);
      assert.equal(into.rowCount, 5000);
      const out = client.query(copy.to('COPY (SELECT * FROM word ORDER BY id) TO STDOUT'));
      let text = '';
      for await (const chunk of out) text += chunk;
      assert.equal(text, lines.join(''));
      await fails(pipeline(Readable.from(['x\ty\n']), client.query(copy.from('COPY word FROM STDIN'))), '22P02');
      assert.deepEqual((await client.query('SELECT count(*) FROM word')).rows, [{ count: '5000' }]);
      await client.query('DROP TABLE word');
    });
  },

  async cursors() {
    await connected(async (client) => {
      const cursor = client.query(new Cursor('SELECT i FROM generate_series(1, $1::int) AS g (i)', [25000]));
      let total = 0;
      for (;;) {
        const rows = await cursor.read(1000);
        if (rows.length === 0) break;
        for (const row of rows) total += row.i;
      }
      await cursor.close();
      assert.equal(total, (25000 * 25001) / 2);
      const stream = client.query(new QueryStream('SELECT i FROM generate_series(1, 10) AS g (i)', [], { batchSize: 3 }));
      const read = [];
      for await (const row of stream) {
        read.push(row.i);
        if (row.i === 7) break;
      }
      assert.deepEqual(read, [1, 2, 3, 4, 5, 6, 7]);
      assert.deepEqual((await client.query('SELECT 1 AS one')).rows, [{ one: 1 }]);
    });
  },

  async cancels() {
    const endless = 'SELECT count(*) FROM generate_series(1, 1000000000000)';
    await connected(async (client) => {
      const running = client.query(endless);
      const canceller = new Client(url);
      setTimeout(() => canceller.cancel(client, client.activeQuery ?? client._activeQuery), 300);
      await fails(running, '57014');
      assert.deepEqual((await client.query('SELECT 1 AS one')).rows, [{ one: 1 }]);
    });
    await connected(async (client) => {
      await fails(client.query(endless), '57014');
    }, { statement_timeout: 300 });
  },

  async conflicts() {
    const pool = new Pool({ connectionString: url, max: 3 });
    await pool.query('CREATE TABLE tally (id INT PRIMARY KEY, n INT)');
    await pool.query('INSERT INTO tally VALUES (1, 0), (2, 0)');
    const add = async () => {
      const client = await pool.connect();
      for (let done = 0; done < 50;) {
        try {
          await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
          const { rows } = await client.query('SELECT n FROM tally WHERE id = 1');
          await client.query('UPDATE tally SET n = $1 WHERE id = 1', [rows[0].n + 1]);
          await client.query('UPDATE tally SET n = n - 1 WHERE id = 2');
          await client.query('COMMIT');
          done++;
        } catch (error) {
          await client.query('ROLLBACK');
          assert.equal(error.code, '40001', error.message);
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
        }
      }
      client.release();
    };
    await Promise.all([add(), add(), add()]);
    const { rows } = await pool.query('SELECT n FROM tally ORDER BY id');
    assert.deepEqual(rows, [{ n: 150 }, { n: -150 }]);
    await pool.query('DROP TABLE tally');
    await pool.end();
  },
};

(async () => {
  for (const [name, step] of Object.entries(steps)) {
    try {
      await step();
      console.log('passed:', name);
    } catch (error) {
      console.log(error.stack);
      console.log('FAILED:', name);
      process.exitCode = 1;
    }
  }
})();
