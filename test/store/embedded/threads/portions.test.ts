import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import type { Aggregation, ParameterDataQuery } from '../../../../src/domain/query.ts';
import type { CalculatingQuery } from '../../../../src/expression/calculation.ts';
import { isFlaw, parseExpression } from '../../../../src/expression/parse.ts';
import type { RowsRequest } from '../../../../src/store/answers/answer.ts';
import { type EmbeddedStore, openEmbeddedStore } from '../../../../src/store/embedded/store.ts';
import { until } from '../../../until.ts';
import { rowsOf } from '../rows.ts';
import { storeFolder } from '../store-folder.ts';
import { bytesOf, requestOf, termsOf, threadsBegunBy } from './ask.ts';

const folder = storeFolder('portions');
const streams = 96;
/** Of the answers that are compared, and of those in whose middle something happens. */
const rows = { one: 500, six: 1000 };

const aggregated = (...aggregations: Aggregation[]) => ({
  parameters: aggregations.map((aggregation) => ({ kind: Kind.Numeric, name: 'p', aggregation }) as const),
});
/** What takes long: all values are kept and sorted. */
const slow = aggregated('P95', 'StdDev', 'Mode');
const byHundred = { groupByTime: { width: 100n, interpolation: 'None' as const } };
const expression = parseExpression('p * 1.1 - previous(p)');
assert.ok(!isFlaw(expression));
const calculated: CalculatingQuery = {
  parameters: [],
  calculated: [{ name: 'c', expression, aggregation: 'Sum' }],
};

const more = Array.from({ length: 5 }, (_, i) => `p${i}`);
/** What takes five times as long: time enough to act in its middle, on a busy machine too. */
const lengthy = {
  ...byHundred,
  parameters: ['p', ...more].flatMap((name) => slow.parameters.map((parameter) => ({ ...parameter, name }))),
};

const questions: readonly Partial<ParameterDataQuery & CalculatingQuery>[] = [
  { ...slow, ...byHundred },
  { ...slow, ...byHundred, groupBy: ['streamId'], topic: 't' },
  { ...slow, groupBy: ['lap'] },
  { ...slow, groupBy: ['streamId'] },
  { ...aggregated('Sum', 'Mean', 'StdDev', 'Last'), ...byHundred },
  { ...aggregated('First', 'Last', 'P50'), groupBy: ['topic', 'streamId', 'lap'], limit: 100, order: 'Desc' },
  { ...aggregated('Sum', 'Median'), groupByTime: { width: 7n, interpolation: 'Linear' } },
  { ...aggregated('Sum', 'P90'), tagFilters: [{ tag: 'lap', operator: 'NotEqual', values: ['2'] }] },
  { ...aggregated('Sum', 'P90'), tagFilters: [{ tag: 'lap', operator: 'Like', values: ['[12]'] }] },
  { ...calculated, ...byHundred },
  { ...calculated, groupBy: ['streamId', 'topic'] },
];

/** Nothing is moved while reads are compared: a deviation may tell in its last digit how its rows are stored. */
const still = { quietMs: 1e8, restMs: 1e8, sealOnCloseMs: 0, headBytes: 64 << 20 };

/** Writes rows of some streams, of which two share each id. All parameters of a row have the same value. */
function write(
  to: EmbeddedStore,
  names: readonly string[],
  from: number,
  end: number,
  of: (stream: number) => boolean,
): Promise<void> {
  return to.append({
    workspace: 'default',
    changes: Array.from({ length: streams }, (_, stream) => stream)
      .filter(of)
      .map((stream) => ({
        type: 'rows',
        topic: stream % 2 === 0 ? 't' : 'u',
        streamId: `s${stream >> 1}`,
        rows: [
          rowsOf(
            Array.from({ length: end - from }, (_, i) => {
              const value = Math.sin(stream * 1000 + from + i) * 10 ** (stream % 9);
              return {
                time: BigInt(from + i + (stream % 7 === 0 ? ((from + i) % 3) * 1000 : 0)),
                tags: [['lap', String(1 + (stream % 3))]] as const,
                cells: Object.fromEntries(names.map((name) => [name, value])),
              };
            }),
          ),
        ],
      })),
  });
}

/** Some rows are deleted, some written twice; all are in a part or a few. */
async function fill(dataDir: string, names: readonly string[], count: number): Promise<void> {
  const store = await openEmbeddedStore({
    dataDir,
    headBytes: 64 << 20,
    quietMs: 20,
    restMs: 20,
    interruptedAfterMs: 60_000,
    clock: () => 1_000_000,
    log: { info() {}, warn() {}, error() {} },
  });
  for (let from = 0; from < count; from += 500) await write(store, names, from, from + 500, () => true);
  await write(store, names, 300, 320, (stream) => stream % 5 === 0);
  await store.deleteRows({
    workspace: 'default',
    streamIds: ['s3', 's40'],
    topic: undefined,
    from: 100n,
    to: 700n,
    tagFilters: [],
  });
  // One part, or several where a busy machine paused in between: so few are not merged.
  await until(() => {
    const { headBytes, parts } = store.health();
    return headBytes < 1 << 20 && parts > 0 && parts < 8;
  });
  await store.close();
}

const requestFor = (question: Partial<ParameterDataQuery & CalculatingQuery>): RowsRequest =>
  requestOf(question as Partial<ParameterDataQuery>);

async function answerTo(store: EmbeddedStore, request: RowsRequest): Promise<string> {
  return (await bytesOf(await store.answer(request, termsOf()))).toString();
}

let template = '';
before(async () => {
  template = mkdtempSync(join(tmpdir(), 'pitwall-portions-filled-'));
  await fill(join(template, 'one'), ['p'], rows.one);
  await fill(join(template, 'six'), ['p', ...more], rows.six);
});
after(() => rmSync(template, { recursive: true }));

/** A store of its own whose threads have all begun: one row is in memory, all others are in parts and stay there. */
async function openWith(readThreads: number, filled: 'one' | 'six' = 'six'): Promise<EmbeddedStore> {
  const dataDir = join(folder.root, `of-${readThreads}-threads`);
  cpSync(join(template, filled), dataDir, { recursive: true });
  const store = await folder.open({ ...still, dataDir, readThreads, littleWork: -1, sharedMs: 0 });
  // A start moves what it finds in the log to parts.
  await until(() => store.health().headBytes === 0);
  await write(store, filled === 'one' ? ['p'] : ['p', ...more], 1600, 1601, (stream) => stream === 4);
  const first = requestOf({ limit: 1 });
  await Promise.all(Array.from({ length: 3 * readThreads }, () => answerTo(store, first)));
  return store;
}

describe('large aggregations', () => {
  it('are the same bit for bit, however many threads make them', async () => {
    let expected: readonly string[] | undefined;
    for (const threads of [0, 1, 2, 4]) {
      const store = await openWith(threads, 'one');
      const answers: string[] = [];
      for (const question of questions) answers.push(await answerTo(store, requestFor(question)));
      expected ??= answers;
      assert.ok(answers.every((answer) => answer.length > 100));
      assert.deepEqual(answers, expected, `${threads} threads`);
      await until(() => (store.readThreads!()?.reading ?? 0) === 0);
      const helped = store.readThreads!()?.helped ?? 0;
      assert.ok(threads < 2 ? helped === 0 : helped > 0, `${threads} threads helped ${helped} times`);
      await folder.close(store);
    }
  });

  it('fail as a whole where a thread dies that has a portion, and nobody else is touched', async () => {
    const request = requestFor(lengthy);
    let store: EmbeddedStore | undefined;
    const [, second] = await threadsBegunBy(async () => {
      store = await openWith(2);
    });
    const expected = await answerTo(store!, request);
    const before = store!.readThreads!()!.helped;
    const failing = answerTo(store!, request);
    const outcome = failing.then(
      () => 'an answer',
      (error: { readonly code: string }) => error.code,
    );
    await until(() => store!.readThreads!()!.helped > before);
    await second!.terminate();
    assert.equal(await outcome, 'read_interrupted');
    await until(() => store!.readThreads!()!.reading === 0);
    assert.equal(store!.readThreads!()!.died, 1);
    assert.equal(await answerTo(store!, request), expected);
  });

  it('end on all their threads when the client leaves', async () => {
    const store = await openWith(3);
    const request = requestFor(lengthy);
    const expected = await answerTo(store, request);
    const before = store.readThreads!()!.helped;
    const leaving = new AbortController();
    const left = store.answer(request, termsOf({ signal: leaving.signal }));
    const rejected = assert.rejects(left, /the client left/);
    await until(() => store.readThreads!()!.helped > before);
    leaving.abort(new Error('the client left'));
    await rejected;
    await until(() => store.readThreads!()!.reading === 0);
    assert.equal(await answerTo(store, request), expected);
    assert.equal(store.readThreads!()!.died, 0);
  });

  it('are overtaken by short reads, on whatever threads they are', async () => {
    const store = await openWith(2);
    const before = store.readThreads!()!.helped;
    const request = requestFor(lengthy);
    let answered = 0;
    const readLong = async (owner: string) => {
      const made = await store.answer(request, termsOf({ owner }));
      const bytes = (await bytesOf(made)).length;
      answered++;
      return bytes;
    };
    const long = [readLong('shared')];
    await until(() => store.readThreads!()!.helped > before);
    for (let i = 0; i < 5; i++) long.push(readLong(`o${i}`));
    const short = requestOf({ streamIds: ['s1'], topic: 't', limit: 1 });
    for (let i = 0; i < 4; i++) assert.ok((await answerTo(store, short)).length > 0);
    assert.ok(answered < long.length, `${answered} long reads were answered before`);
    const [first, ...others] = await Promise.all(long);
    for (const bytes of others) assert.equal(bytes, first);
  });

  it('end with their store', async () => {
    const store = await openWith(2);
    const before = store.readThreads!()!.helped;
    const reading = assert.rejects(answerTo(store, requestFor(lengthy)), {
      code: 'read_interrupted',
    });
    await until(() => store.readThreads!()!.helped > before);
    await folder.close(store);
    await reading;
    assert.equal(store.readThreads!()!.reading, 0);
  });
});
