import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { maxTimestamp, minTimestamp } from '../../../../src/domain/timestamp.ts';
import { PitwallError } from '../../../../src/errors.ts';
import { planQuery } from '../../../../src/query/plan/plan.ts';
import type { AnswerRequest } from '../../../../src/store/answers/answer.ts';
import type { EmbeddedStore, EmbeddedStoreOptions } from '../../../../src/store/embedded/store.ts';
import { namesOfMessage } from '../../../../src/store/embedded/threads/sent-streams.ts';
import { until } from '../../../until.ts';
import { rowsOf } from '../rows.ts';
import { storeFolder } from '../store-folder.ts';
import { bytesOf, manyRows, requestOf, termsOf, threadsBegunBy, write } from './ask.ts';

const folder = storeFolder('read-threads');

/** All reads go to threads. */
const allOnThreads: Partial<EmbeddedStoreOptions> = { readThreads: 1, littleWork: -1, headBytes: 64 << 20 };

const everything = {
  workspace: 'default',
  streamIds: undefined,
  topic: undefined,
  from: minTimestamp,
  to: maxTimestamp,
  tagFilters: [],
};

/** More than a thread is ahead of its reader: a text of 4 MB. */
const manyCount = 150_000;

const changesOfMany = Array.from({ length: 15 }, (_, i) => ({
  type: 'rows' as const,
  topic: 't',
  streamId: 'a',
  rows: [rowsOf(manyRows((i * manyCount) / 15, manyCount / 15))],
}));

async function fillMany(store: EmbeddedStore): Promise<void> {
  for (const change of changesOfMany) await store.append({ workspace: 'default', changes: [change] });
}

function isCode(code: string): (error: unknown) => boolean {
  return (error) => error instanceof PitwallError && error.code === code;
}

describe('read threads', () => {
  it('give the answers that the main thread gives, of parts, of the head, and after deletes', async () => {
    const store = await folder.open({ sealOnCloseMs: 60_000, headBytes: 8 << 20 });
    const numeric = (name: string, aggregation: 'None' | 'Mean' | 'Max') =>
      ({ kind: Kind.Numeric, name, aggregation }) as const;
    for (let stream = 0; stream < 5; stream++) {
      const rows = Array.from({ length: 400 }, (_, i) => ({
        time: BigInt(i * 1000 + stream),
        tags: [['lap', String(i % 3)]] as const,
        cells: { p: i * stream, q: i % 7 === 0 ? null : `text ${i}` },
      }));
      await write(store, `s${stream}`, rows, stream < 3 ? 't' : 'u');
    }
    await folder.close(store);
    const again = await folder.open();
    await again.deleteRows({ ...everything, streamIds: ['s1'], from: 5000n, to: 90_000n }, [
      { kind: Kind.Numeric, name: 'p' },
    ]);
    await write(again, 's0', manyRows(100, 50));
    await write(again, 's9', manyRows(0, 50));
    await folder.close(again);

    const text = { kind: Kind.String, name: 'q', aggregation: 'None' } as const;
    const requests: AnswerRequest[] = [
      requestOf({}),
      requestOf({ parameters: [numeric('p', 'None'), text], groupBy: ['lap', 'streamId'], order: 'Desc' }),
      requestOf({ limit: 20, streamIds: ['s0', 's1'] }),
      requestOf({ topic: 'u', tagFilters: [{ tag: 'lap', operator: 'Like', values: ['[12]'] }] }),
      requestOf({
        parameters: [numeric('p', 'Mean'), numeric('p', 'Max')],
        groupBy: ['streamId'],
        groupByTime: { width: 50_000n, interpolation: 'Linear' },
      }),
      requestOf({ parameters: [numeric('nobody wrote it', 'None')] }),
      ...(['csv', 'arrow', 'parquet'] as const).map((form) =>
        requestOf({ parameters: [numeric('p', 'None'), text], groupBy: ['lap'] }, form),
      ),
      { kind: 'tagValues', plans: [everything], tag: 'lap' },
      { kind: 'tagNames', plans: [everything] },
      {
        kind: 'events',
        plans: [
          planQuery('default', {
            parameters: [{ kind: Kind.String, name: 'q', aggregation: 'Last' }],
            groupBy: ['streamId'],
          }),
        ],
        firsts: [0],
        eventIds: ['q'],
        keepEmpty: true,
        groupBy: ['streamId'],
        int64AsString: true,
        maxBytes: 1e6,
      },
    ];
    const answersOf = async (readThreads: number) => {
      const reader = await folder.open({ ...allOnThreads, readThreads });
      const answers = await Promise.all(
        requests.map(async (request) => {
          let rows = 0;
          const made = await reader.answer(request, termsOf({ countAnswered: (count) => (rows += count) }));
          return [(await bytesOf(made)).toString('latin1'), made.nextCursor, rows];
        }),
      );
      await folder.close(reader);
      return answers;
    };
    const expected = await answersOf(0);
    assert.ok(expected.every(([answer]) => String(answer).length > 2));
    assert.deepEqual(await answersOf(1), expected);
    assert.deepEqual(await answersOf(4), expected);
  });

  it('see what was written and deleted between two reads', async () => {
    const store = await folder.open(allOnThreads);
    const ask = async () => (await bytesOf(await store.answer(requestOf({}), termsOf()))).toString();
    await write(store, 'a', manyRows(0, 2));
    const first = await ask();
    await write(store, 'b', manyRows(5, 2));
    assert.notEqual(await ask(), first);
    await store.deleteRows({ ...everything, streamIds: ['b'] });
    assert.equal(await ask(), first);
  });

  it('read very many streams, whose names come in several messages, and end such reads at any time', async () => {
    const store = await folder.open({ ...allOnThreads, slabBytes: 1 << 20 });
    const count = namesOfMessage + 10;
    const streams = Array.from({ length: count }, (_, i) => ({
      type: 'rows' as const,
      topic: i % 3 === 0 ? 't' : 'u',
      streamId: `s${(i * 7919) % count}`,
      rows: [rowsOf([{ time: BigInt(i % 50), cells: { p: i } }])],
    }));
    for (let from = 0; from < count; from += 500)
      await store.append({ workspace: 'default', changes: streams.slice(from, from + 500) });
    const p = (aggregation: 'Last' | 'Mean') => ({ kind: Kind.Numeric, name: 'p', aggregation }) as const;
    const requests = [
      requestOf({ groupBy: ['topic', 'streamId'] }),
      requestOf({ groupBy: ['topic', 'streamId'], limit: 20, order: 'Desc' }),
      requestOf({ parameters: [p('Last')] }),
      requestOf({ parameters: [p('Mean')] }),
      requestOf({ parameters: [p('Mean')], groupBy: ['streamId'] }),
    ];
    const answersOf = (reader: EmbeddedStore) =>
      Promise.all(
        requests.map(async (request) => (await bytesOf(await reader.answer(request, termsOf()))).toString()),
      );
    const answers = await answersOf(store);
    for (let turns = 0; turns < 8; turns++) {
      const gone = new AbortController();
      const left = store.answer(requests[0]!, termsOf({ signal: gone.signal }));
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
      gone.abort(new Error('the client left'));
      await left.then(bytesOf).catch((error: Error) => assert.match(error.message, /the client left/));
    }
    await until(() => store.readThreads!()!.reading === 0);
    assert.deepEqual(await answersOf(store), answers);
    await folder.close(store);
    assert.deepEqual(await answersOf(await folder.open({ readThreads: 0 })), answers);
  });

  it('tell what they went through, and errors with their codes', async () => {
    const store = await folder.open(allOnThreads);
    await fillMany(store);
    let rows = 0;
    let taken = 0;
    const counted = termsOf({ countRows: (count) => (rows += count), take: (bytes) => (taken += bytes) });
    await bytesOf(await store.answer(requestOf({}), counted));
    assert.equal(rows, manyCount);
    assert.ok(taken > 16 * manyCount);
    const none = termsOf({
      take(bytes) {
        if (bytes > 0) throw new PitwallError('overloaded');
      },
    });
    await assert.rejects(store.answer(requestOf({}), none), isCode('overloaded'));
    await assert.rejects(
      store.answer({ ...requestOf({}), maxBytes: 1000 }, termsOf()),
      isCode('result_too_large'),
    );
    await until(() => store.readThreads!()!.reading === 0);
    const slow = await folder.open({ ...allOnThreads, maxQueryMs: 0, dataDir: join(folder.root, 'slow') });
    await fillMany(slow);
    await assert.rejects(slow.answer(requestOf({}), termsOf()), isCode('query_too_slow'));
  });

  it('stop when the client leaves, before the answer and on its way', async () => {
    const store = await folder.open(allOnThreads);
    await fillMany(store);
    const gone = new AbortController();
    const early = store.answer(requestOf({}), termsOf({ signal: gone.signal }));
    gone.abort(new Error('the client left'));
    await assert.rejects(early, /the client left/);
    const leaving = new AbortController();
    const late = await store.answer(requestOf({}, 'csv'), termsOf({ signal: leaving.signal }));
    const chunks = (late.chunks as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    assert.equal((await chunks.next()).done, false);
    leaving.abort(new Error('the client left later'));
    await assert.rejects(async () => {
      for (;;) if ((await chunks.next()).done === true) return;
    }, /the client left later/);
    await until(() => store.readThreads!()!.reading === 0);
  });

  it('are no further ahead of a slow client than a few chunks', async () => {
    const store = await folder.open({ ...allOnThreads, quietMs: 20, restMs: 20 });
    await fillMany(store);
    // Of a part rows come in blocks of a few thousand.
    await until(() => store.health().parts > 0 && store.health().headBytes < 1 << 20);
    let rows = 0;
    const counted = termsOf({ countAnswered: (count) => (rows += count) });
    const { chunks } = await store.answer(requestOf({}, 'csv'), counted);
    const answer = (chunks as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    await answer.next();
    // Another read of the same thread goes on meanwhile.
    await bytesOf(await store.answer(requestOf({ limit: 1 }), termsOf()));
    assert.ok(rows < manyCount / 2, `${rows} rows`);
    let bytes = 0;
    for (let next = await answer.next(); !next.done; next = await answer.next()) bytes += next.value.length;
    assert.equal(rows, manyCount);
    assert.ok(bytes > 1e6);
  });

  it('are not kept busy by clients that take nothing', async () => {
    const store = await folder.open({ ...allOnThreads, quietMs: 20, restMs: 20 });
    await fillMany(store);
    await until(() => store.health().parts > 0 && store.health().headBytes < 1 << 20);
    const slow: AsyncIterator<Uint8Array>[] = [];
    for (let i = 0; i < 6; i++) {
      const { chunks } = await store.answer(requestOf({}, 'csv'), termsOf({ owner: `slow ${i}` }));
      slow.push((chunks as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]());
      await slow.at(-1)!.next();
    }
    await until(() => store.readThreads!()!.reading === 0);
    const whole = await bytesOf(await store.answer(requestOf({}, 'csv'), termsOf()));
    // They go on where their clients do.
    for (const chunks of slow) {
      let bytes = 0;
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) bytes += next.value.length;
      assert.ok(bytes > whole.length / 2);
    }
    assert.deepEqual([store.readThreads!()!.reading, store.readThreads!()!.waiting], [0, 0]);
  });

  it('cost their queries a 503 where one dies, and nobody else anything; the next begins anew', async () => {
    const errors: string[] = [];
    const log = { info() {}, warn() {}, error: (_: object, message: string) => errors.push(message) };
    const store = await folder.open({ ...allOnThreads, log });
    await fillMany(store);
    let chunks: AsyncIterator<Uint8Array> | undefined;
    const [thread] = await threadsBegunBy(async () => {
      const answer = await store.answer(requestOf({}, 'csv'), termsOf());
      chunks = (answer.chunks as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
      await chunks.next();
    });
    await thread!.terminate();
    await assert.rejects(async () => {
      for (;;) if ((await chunks!.next()).done === true) return;
    }, isCode('read_interrupted'));
    assert.equal(store.readThreads!()!.died, 1);
    assert.equal(store.readThreads!()!.reading, 0);
    assert.match(errors.join(), /a read thread ended/);
    const whole = await bytesOf(await store.answer(requestOf({}, 'csv'), termsOf()));
    assert.equal(whole.toString().split('\r\n').length, manyCount + 2);
  });

  it('end with their store, and so do those that wait for a place', async () => {
    const store = await folder.open(allOnThreads);
    await fillMany(store);
    const answers = Array.from({ length: 9 }, (_, i) =>
      store.answer(requestOf({}, 'csv'), termsOf({ owner: `${i}` })).then(bytesOf),
    );
    const ends = Promise.allSettled(answers);
    await until(() => store.readThreads!()!.waiting > 0);
    await folder.close(store);
    const codes = (await ends).map((end) => (end.status === 'rejected' ? end.reason.code : end.status));
    assert.deepEqual(new Set(codes), new Set(['read_interrupted', 'shutting_down']));
    assert.deepEqual([store.readThreads!()!.reading, store.readThreads!()!.waiting], [0, 0]);
  });

  for (const ending of ['goes on to its end', 'ends with its thread'] as const) {
    it(`hold parts that are merged away until their read ${ending}`, async () => {
      const store = await folder.open({ ...allOnThreads, quietMs: 20, restMs: 20 });
      await fillMany(store);
      const files = () => new Set(readdirSync(join(folder.directory, 'parts')));
      // One part, or several where a busy machine paused in between: so few are not merged.
      await until(() => {
        const { headBytes, parts } = store.health();
        return headBytes < 1 << 20 && parts > 0 && parts < 8 && files().size === parts;
      });
      const before = files();
      let chunks: AsyncIterator<Uint8Array> | undefined;
      const [thread] = await threadsBegunBy(async () => {
        const answer = await store.answer(requestOf({}, 'csv'), termsOf());
        chunks = (answer.chunks as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
      });
      const taken = [(await chunks!.next()).value as Uint8Array];
      await store.deleteRows({ ...everything, from: 0n, to: BigInt(manyCount - 10) });
      await until(async () => {
        const lines = (await bytesOf(await store.answer(requestOf({}), termsOf()))).toString();
        return lines.length < 1000 && [...files()].some((file) => !before.has(file));
      });
      assert.ok([...before].every((file) => files().has(file)));
      if (ending === 'goes on to its end') {
        for (let next = await chunks!.next(); !next.done; next = await chunks!.next()) taken.push(next.value);
        assert.equal(Buffer.concat(taken).toString().split('\r\n').length, manyCount + 2);
      } else {
        await thread!.terminate();
      }
      await until(() => [...before].every((file) => !files().has(file)));
    });
  }
});
