import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRegistry } from '../../../../src/store/clickhouse/catalog/registry.ts';
import { tableColumns } from '../../../../src/store/clickhouse/catalog/table-rows.ts';
import { draftBatch } from '../../../../src/store/clickhouse/insert/batch-draft.ts';
import { versionClock } from '../../../../src/store/clickhouse/server/version-clock.ts';
import { numbers } from '../open-store.ts';

const created = tableColumns.streams.indexOf('created');

/** The milliseconds that the versions of one request's streams name, by a clock that begins at `startMs`. */
function createdAt(startMs: number, stepMs: number, restamped = false): bigint[] {
  let now = startMs;
  const clock = versionClock({
    nowMs() {
      now += stepMs;
      return now;
    },
    isShared: true,
  });
  const changes = ['c', 'a', 'b'].flatMap((streamId) => [
    { type: 'rows' as const, topic: 'cars', streamId, rows: [] },
    {
      type: 'rows' as const,
      topic: 'cars',
      streamId: `${streamId} with values`,
      rows: [numbers(0n, [3, 1, 2])],
    },
  ]);
  const draft = draftBatch({ workspace: 'w', changes }, clock, createRegistry());
  const { rows, series } = restamped ? draft.restamped() : draft;
  const ofRows = rows
    .filter(({ table }) => table === 'streams')
    .map(({ values }) => BigInt(String(values[created])));
  const versions = [...ofRows, ...series.map(({ version }) => version)];
  assert.equal(versions.length, 6);
  assert.equal(new Set(versions).size, 6);
  return versions.map((version) => version / 1_000_000n);
}

describe('the draft of a batch', () => {
  it('gives the streams of one request one time of creation, however long drafting takes', () => {
    assert.equal(new Set(createdAt(5000, 1)).size, 1);
  });

  it('does so when it begins in the last nanoseconds of a millisecond', () => {
    const lateMs = 5000 - 2 ** -18;
    assert.equal(new Set(createdAt(lateMs, 0)).size, 1);
    assert.equal(new Set(createdAt(lateMs, 0, true)).size, 1);
  });
});
