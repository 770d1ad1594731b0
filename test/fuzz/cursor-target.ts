import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PitwallError } from '../../src/errors.ts';
import type { CalculatingQuery } from '../../src/expression/calculation.ts';
import { isFlaw, parseExpression } from '../../src/expression/parse.ts';
import { decodeCursor, decodeGroupCursor, encodeCursor } from '../../src/query/plan/cursor.ts';
import { openEmbeddedStore } from '../../src/store/embedded/store.ts';
import type { Store } from '../../src/store/store.ts';
import { readPage } from '../store/calculated/read-page.ts';
import { rowsOf } from '../store/embedded/rows.ts';
import { mutate } from './mutate.ts';
import type { Random } from './random.ts';
import type { Target } from './target.ts';

const expressions = [
  'integral(a) + previous(a)',
  "over(movingMean(a, '10ns'), 'Lap')",
  "movingMax(fill(a), '7ns') + lowpass(a, '3ns')",
];
const digestBytes = 16;
const pageRows = 5;
const words = ['.', 'W10', 'A', '_', '-'].map((word) => Buffer.from(word));
/** Of packed numbers: of two, four and eight bytes, what no number begins with, a large number, NaN. */
const packed = ['fa', 'fb', 'fc', 'ff', 'fbffffffff', 'fc000000000000f87f', 'fc000000000000f0ff', '00'].map(
  (word) => Buffer.from(word, 'hex'),
);

let store: Store;
/** Those of the pages of a query. */
let cursors: readonly Buffer[] = [];

/**
 * A cursor is refused by name, or it says where it goes on, and says so again. A page of what looks along rows has as many
 * rows as it may have from any cursor, whatever state stands in it.
 */
export const cursorTarget: Target = {
  name: 'cursors',
  short: 1000,
  make(random: Random) {
    const cursor = random.pick(cursors);
    if (random.once(3)) return mutate(cursor, random, words, cursors);
    const [place, state = ''] = cursor.toString().split('.');
    const bytes = Buffer.from(state, 'base64url');
    const forged = mutate(bytes.subarray(digestBytes), random, packed, [bytes]);
    return Buffer.from(
      `${place}.${Buffer.concat([bytes.subarray(0, digestBytes), forged]).toString('base64url')}`,
    );
  },
  async check(input) {
    const cursor = input.toString();
    await refusedByName(async () => void decodeGroupCursor(cursor, 1));
    await refusedByName(async () => {
      const position = decodeCursor(cursor);
      assert.deepEqual(decodeCursor(encodeCursor(position)).tags, position.tags);
      const { rows } = await readPage(store, { ...query, limit: pageRows, cursor });
      assert.ok(rows.length <= pageRows);
    });
  },
  async open() {
    const dataDir = mkdtempSync(join(tmpdir(), 'pitwall-cursors-'));
    const log = { info() {}, warn() {}, error() {} };
    store = await openEmbeddedStore({ dataDir, headBytes: 16 << 20, interruptedAfterMs: 60_000, log });
    for (const streamId of ['s', 'ß']) {
      const rows = Array.from({ length: 40 }, (_, i) => ({
        time: BigInt(3 * i),
        tags: [['Lap', String(i >> 3)]] as const,
        cells: { a: i % 7 === 0 ? Number.NaN : i / 3 },
      }));
      await store.append({
        workspace: 'w',
        changes: [{ type: 'rows', topic: 't', streamId, rows: [rowsOf(rows)] }],
      });
    }
    const found: string[] = [];
    for (let cursor: string | undefined; ; found.push(cursor)) {
      const page = await readPage(store, {
        ...query,
        limit: pageRows,
        ...(cursor !== undefined && { cursor }),
      });
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    assert.ok(found.every((cursor) => cursor.includes('.')));
    cursors = found.map((cursor) => Buffer.from(cursor));
    return async () => {
      await store.close();
      rmSync(dataDir, { recursive: true });
    };
  },
};

const query: CalculatingQuery = {
  parameters: [],
  calculated: expressions.map((text, i) => {
    const expression = parseExpression(text);
    if (isFlaw(expression)) throw new Error(expression.message);
    return { name: `c${i}`, expression, aggregation: 'None' };
  }),
};

async function refusedByName(read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof PitwallError)) throw error;
    assert.deepEqual([error.code, error.errors[0]?.path], ['invalid_value', 'cursor']);
  }
}
