import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import type { TagPair } from '../../../../src/domain/tags.ts';
import { maxTimestamp, minTimestamp } from '../../../../src/domain/timestamp.ts';
import { findStream } from '../../../../src/store/embedded/catalog/catalog-state.ts';
import { lostRows } from '../../../../src/store/embedded/read/lost-rows.ts';
import { streamExtents } from '../../../../src/store/embedded/read/stream-extent.ts';
import type { Pace } from '../../../../src/turns/pace.ts';
import { everything } from '../everything.ts';
import { forSeeds } from '../random.ts';
import { type Cell, rowsOf, type TestRow } from '../rows.ts';
import { type SnapshotScratch, snapshotScratch } from '../snapshot-scratch.ts';

const nameOf = (parameter: number) => `p${parameter}`;

function write(scratch: SnapshotScratch, rows: readonly TestRow[]): void {
  scratch.write({ type: 'rows', topic: 't', streamId: 's', rows: [rowsOf(rows)] });
}

/** What a delete of the rows at times [from, to] takes from a stream, and what is left of that. */
async function ask(
  scratch: SnapshotScratch,
  from: bigint,
  to: bigint,
  names: readonly string[],
  pace: Pace,
  tag?: string,
) {
  const tagFilters = tag === undefined ? [] : [{ tag: 'lap', operator: 'Equal', values: [tag] } as const];
  const stream = findStream(scratch.state, 'default', 't', 's')!;
  const numberOf = (name: string) => scratch.state.parametersByName[Kind.Numeric].get(name)!.number;
  const parameters = new Set(names.map(numberOf));
  const streams = [{ stream, parameters, hasEvents: false }];
  const open = scratch.take();
  try {
    const isNamed = true;
    const searchedMs = undefined;
    const question = { kind: 'lostRows', from, to, tagFilters, isNamed, streams, searchedMs } as const;
    const { rows } = await lostRows(open, question, pace);
    const candidates = [...parameters].sort((a, b) => a - b);
    const left = { stream, withEvents: false, knownTimes: [], certain: [], candidates };
    const [extent] = await streamExtents(
      open,
      { kind: 'extents', streams: [{ ...left, maxReads: Number.POSITIVE_INFINITY }] },
      pace,
    );
    const { first, last, isEmpty, parameters: found } = extent!;
    const foundNames = new Set([...(found ?? candidates)].map((n) => scratch.state.parameters[n]!.name));
    return { rows, left: isEmpty ? undefined : { first, last, names: [...foundNames].sort() } };
  } finally {
    open.release();
  }
}

const atOnce: Pace = () => undefined;

describe('row groups of very many parameters, behind deletes', () => {
  it('are looked at in steps whose size does not depend on how many these are', async () => {
    const stepsOf = async (count: number): Promise<number> => {
      const scratch = snapshotScratch('default');
      try {
        const names = Array.from({ length: count }, (_, i) => nameOf(i));
        const cells = Object.fromEntries(names.map((name) => [name, 1]));
        write(
          scratch,
          [1n, 2n, 3n, 4n].map((time) => ({ time, cells })),
        );
        await scratch.seal();
        scratch.deleteRows({ ...everything, from: 2n, to: 2n });
        let steps = 0;
        const pace = () => {
          steps++;
          return undefined;
        };
        const { rows, left } = await ask(scratch, minTimestamp, maxTimestamp, names, pace);
        assert.equal(rows, 3);
        assert.deepEqual(left, { first: 1n, last: 4n, names: names.sort() });
        return steps;
      } finally {
        await scratch.close();
      }
    };
    const [few, many] = [await stepsOf(100), await stepsOf(4100)];
    // Each of the two questions, for a few hundred parameters more.
    assert.ok(many - few >= (2 * 4000) / 200, `${few} steps of 100, ${many} of 4,100`);
  });

  it('give what their rows have', () =>
    forSeeds(1, 20, async (random) => {
      const count = 300;
      const names = Array.from({ length: count }, (_, i) => nameOf(i));
      const laps: readonly (readonly TagPair[])[] = [[], [['lap', 'a']], [['lap', 'b']]];
      /** By time and lap, the parameters that have a value. */
      const model = new Map<string, { time: number; lap: string | undefined; has: Set<string> }>();
      const scratch = snapshotScratch('default');
      try {
        write(scratch, [{ time: 0n, cells: Object.fromEntries(names.map((name) => [name, 1])) }]);
        model.set('0 ', { time: 0, lap: undefined, has: new Set(names) });
        for (let round = 0; round < 4; round++) {
          const rows = Array.from({ length: random.int(1, 6) }, () => {
            const time = random.int(0, 20);
            const tags = random.pick(laps);
            const lap = tags[0]?.[1];
            const from = random.int(0, count - 1);
            const to = random.chance(0.5) ? from : random.int(from, count - 1);
            const key = `${time} ${lap ?? ''}`;
            const row = model.get(key) ?? { time, lap, has: new Set<string>() };
            model.set(key, row);
            const cells: Record<string, Cell> = {};
            for (let i = from; i <= to; i++) {
              cells[nameOf(i)] = i;
              row.has.add(nameOf(i));
            }
            return { time: BigInt(time), tags, cells };
          });
          write(scratch, rows);
          const from = random.int(0, 20);
          const to = from + random.int(0, 4);
          const lap = random.chance(0.3) ? random.pick(['a', 'b']) : undefined;
          const taken = random.chance(0.5) ? names : names.slice(random.int(0, 250));
          scratch.deleteRows(
            {
              ...everything,
              from: BigInt(from),
              to: BigInt(to),
              tagFilters: lap === undefined ? [] : [{ tag: 'lap', operator: 'Equal', values: [lap] }],
            },
            taken === names ? undefined : taken.map((name) => ({ kind: Kind.Numeric, name })),
          );
          for (const row of model.values()) {
            if (row.time < from || row.time > to || (lap !== undefined && row.lap !== lap)) continue;
            for (const name of taken) row.has.delete(name);
          }
          if (random.chance(0.6)) await scratch.seal();
        }
        const from = random.int(-1, 8);
        const to = random.int(8, 21);
        const lap = random.chance(0.3) ? random.pick(['a', 'b']) : undefined;
        const asked = random.chance(0.5) ? names : names.slice(random.int(0, 299));
        const { rows, left } = await ask(scratch, BigInt(from), BigInt(to), asked, atOnce, lap);
        const all = [...model.values()];
        const lost = all.filter(
          ({ time, lap: own, has }) =>
            time >= from &&
            time <= to &&
            (lap === undefined || own === lap) &&
            asked.some((name) => has.has(name)),
        );
        assert.equal(rows, lost.length);
        const filled = all.filter(({ has }) => has.size > 0);
        const times = filled.map(({ time }) => BigInt(time)).sort((a, b) => (a < b ? -1 : 1));
        const has = (name: string) => filled.some((row) => row.has.has(name));
        if (asked !== names) return;
        const expected = { first: times[0], last: times.at(-1), names: names.filter(has).sort() };
        assert.deepEqual(left, times.length === 0 ? undefined : expected);
      } finally {
        await scratch.close();
      }
    }));
});
