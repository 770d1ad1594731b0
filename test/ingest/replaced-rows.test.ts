import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BatchCommitter } from '../../src/ingest/commit.ts';
import { Writer } from '../../src/ingest/writer.ts';
import { createMetrics } from '../../src/metrics.ts';
import { neverAborted } from '../../src/turns/pace.ts';
import { longBodyBytes } from '../../src/wire/json/in-slices.ts';
import { valuesOf } from '../mqtt/intake-store.ts';
import { defaultPayloadLimits } from '../payload-limits.ts';
import { storeFolder } from '../store/embedded/store-folder.ts';

const folder = storeFolder('replaced-rows');
const now = () => folder.now;
const call = { workspace: 'default', topic: 't', streamId: 's', signal: () => neverAborted };

async function openWriter() {
  const store = await folder.open();
  const live = { capture: () => undefined, publish() {}, missed() {}, ended() {} };
  const clock = { now, wall: now, aheadMs: 60_000 };
  const committer = new BatchCommitter(store, live);
  return { store, writer: new Writer(store, defaultPayloadLimits, createMetrics(), clock, committer) };
}

const year = 31_536_000_000_000_000n;
/** Times of now, for others are told as well. */
const at = (...offsets: readonly number[]) =>
  offsets.map((ns) => BigInt(now()) * 1_000_000n + BigInt(ns) - year);
const dataOf = (times: readonly number[], values: object) =>
  JSON.stringify({ timestamps: at(...times).map(String), ...values });

describe('values that later ones of a request replace', () => {
  for (const bytes of [0, longBodyBytes])
    it(`are told with a write of parameter data (${bytes} bytes)`, async () => {
      const { store, writer } = await openWriter();
      const told = async (times: readonly number[], values: object) =>
        (await writer.parameterData(call, Buffer.from(dataOf(times, values).padEnd(bytes)))).warning;
      const v = (...numbers: readonly (number | null)[]) => ({ numericValues: { v: numbers } });
      assert.equal(
        await told([0, 1, 1, 2], v(1, 2, 3, 4)),
        `A value was replaced, for a later row of the request has the same time and tags: the first is "v" at ${at(1)[0]}.`,
      );
      assert.deepEqual(
        (await valuesOf(store, 't', 's', 'v')).map(([, value]) => value),
        [1, 3, 4],
      );
      // In any order.
      assert.match((await told([5, 4, 5, 3, 4], v(1, 2, 3, 4, 5)))!, /^2 values were replaced/);
      // The same again, and others beside it, replace nothing.
      assert.equal(await told([1, 1, 0, 0], v(2, 2, Number.NaN, null)), undefined);
      assert.equal(await told([1, 1], { numericValues: { a: [1, null], b: [null, 2] } }), undefined);
      assert.equal(await told([1, 1, 1], { ...v(1, 2, 3), tagValues: { tag: ['x', 'y', null] } }), undefined);
      const sparse = { ...v(1, null, 3, 3), tagValues: { tag: ['x', 'x', 'x', 'y'] } };
      assert.match((await told([1, 1, 1, 1], sparse))!, /^A value was replaced/);
      const text = { stringValues: { s: ['a', 'a', 'b'] }, binaryValues: { b: ['AA==', 'AA==', 'AA=='] } };
      assert.match((await told([7, 7, 7], text))!, /^A value was replaced.* "s" at /);
    });

  it('are told of each stream of a batch, beside what was rounded', async () => {
    const { writer } = await openWriter();
    const [time] = at(1);
    const entry = (streamId: string, values: string) =>
      `{"streamId":"${streamId}","timestamps":[${time},${time}],"numericValues":{"v":[${values}]}}`;
    const { warning } = await writer.parameterDataBatch(
      call,
      Buffer.from(`[${entry('a', '1,2')},${entry('b', '3,9007199254740993')}]`),
    );
    assert.match(warning!, /^A number was rounded, .*\. 2 values were replaced, .* "v" at -\d+\.$/);
  });

  it('are counted and told of lines', async () => {
    const { writer } = await openWriter();
    const form = { unit: 1n, streamTags: [], isWhole: false };
    const [time] = at(1);
    const text = `m,a=b v=1,w=1 ${time}\nm,a=c v=9 ${time}\nm,a=b v=2,w=1 ${time}\nn v=1\nn v=2\n`;
    const { replaced, warning } = await writer.lines.write(call, Buffer.from(text), form);
    assert.equal(replaced, 2);
    assert.match(warning!, /^2 values were replaced/);
  });
});
