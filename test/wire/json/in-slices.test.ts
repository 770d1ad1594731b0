import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Steps, whole } from '../../../src/turns/steps.ts';
import { decodeInSlices, readAhead } from '../../../src/wire/json/in-slices.ts';
import { queryLimits } from '../../../src/wire/json/json-memory.ts';
import { decodeBody } from '../../../src/wire/json/value.ts';
import { lineRowSteps, lineSteps } from '../../../src/wire/lines/line-protocol.ts';
import { decodeStreamFilter } from '../../../src/wire/requests/stream-filter.ts';
import { eventDefinitionSteps } from '../../../src/wire/rows/definition.ts';
import { eventSteps } from '../../../src/wire/rows/event-data.ts';
import {
  ParameterDataDecoder,
  parameterDataBatchSteps,
  parameterDataSteps,
} from '../../../src/wire/rows/parameter-data.ts';
import { defaultPayloadLimits } from '../../payload-limits.ts';
import { turnsOf } from '../../turns-of.ts';
import { bytesOf } from '../faults.ts';

const noLimit = { take: () => undefined };
const staying = new AbortController().signal;

const list = (count: number, element: (i: number) => string): string =>
  `[${Array.from({ length: count }, (_, i) => element(i)).join(',')}]`;
/** Bodies of parameter data, each with another part that takes long. */
const longPayloads: Readonly<Record<string, Buffer>> = {
  nulls: bytesOf(
    `{"timestamps":${list(300_000, String)},"numericValues":{"a":${list(300_000, () => 'null')},"b":${list(300_000, (i) => (i % 3 === 0 ? 'null' : '1'))}}}`,
  ),
  'times that are far apart': bytesOf(
    `{"timestamps":${list(100_000, (i) => `${1 + (i % 7)}000000000000000000`)},"epoch":5,"numericValues":{"a":${list(100_000, String)}}}`,
  ),
  'many sets of tags': bytesOf(
    `{"timestamps":${list(50_000, String)},"stringValues":{"a":${list(50_000, (i) => `"${i}"`)}},"tagValues":{"x":${list(50_000, (i) => `"${i % 300}"`)},"y":${list(50_000, (i) => `"${i % 299}"`)}}}`,
  ),
};
const longBatch = bytesOf(
  list(20_000, (i) => `{"streamId":"s${i}","timestamps":[1],"numericValues":{"a":[${i}]}}`),
);
const longLines = bytesOf(
  Array.from({ length: 100_000 }, (_, i) => `m${i % 3},car=${i % 7} a=${i},b="x${i}" ${i}`).join('\n'),
);

const longList = (element: string, count: number) =>
  bytesOf(`{"streamIds":[${`${element},`.repeat(count - 1)}${element}]}`);
const event = '{"id":"a","timestamp":1,"value":"on","tags":{"lap":"7"}}';
const manyEvents = bytesOf(`[${`${event},`.repeat(99_999)}${event}]`);

const definition = `{"id":"a","description":"${'x'.repeat(6000)}","level":"error"}`;
const definitionList = bytesOf(`[${`${definition},`.repeat(4095)}${definition}]`);

describe('a large body', () => {
  it('lets everything else have its turns while it is read', async () => {
    const ids = longList('"a"', 1_000_000);
    const reading = readAhead(ids, queryLimits, noLimit, () => staying);
    assert.ok(reading !== undefined);
    const turns = await turnsOf(reading);
    assert.ok(turns > 4, `${turns} turns`);
    assert.equal(decodeStreamFilter(ids).streamIds?.length, 1_000_000);

    const events = decodeInSlices(eventSteps(manyEvents, defaultPayloadLimits), staying);
    const turnsOfEvents = await turnsOf(events);
    assert.ok(turnsOfEvents > 4, `${turnsOfEvents} turns`);

    const definitions = decodeInSlices(eventDefinitionSteps(definitionList, defaultPayloadLimits), staying);
    const turnsOfDefinitions = await turnsOf(definitions);
    assert.ok(turnsOfDefinitions > 4, `${turnsOfDefinitions} turns`);
    assert.deepEqual(await definitions, whole(eventDefinitionSteps(definitionList, defaultPayloadLimits)));
    assert.deepEqual(await events, whole(eventSteps(manyEvents, defaultPayloadLimits)));
  });

  it('of rows lets everything else have its turns, and is read as at once', async () => {
    const decoder = new ParameterDataDecoder(defaultPayloadLimits);
    for (const [what, body] of Object.entries(longPayloads)) {
      const rows = decodeInSlices(parameterDataSteps(body, defaultPayloadLimits), staying);
      const turns = await turnsOf(rows);
      assert.ok(turns > 4, `${what}: ${turns} turns`);
      assert.deepEqual(await rows, decoder.decode(body), what);
    }
    const batch = decodeInSlices(parameterDataBatchSteps(longBatch, defaultPayloadLimits), staying);
    const turnsOfBatch = await turnsOf(batch);
    assert.ok(turnsOfBatch > 4, `${turnsOfBatch} turns`);
    assert.deepEqual(await batch, decoder.decodeBatch(longBatch));

    const options = { unit: 1n, now: 1n, streamTags: ['car'], limits: defaultPayloadLimits };
    const lines = decodeInSlices(lineRowSteps(longLines, options), staying);
    const turnsOfLines = await turnsOf(lines);
    assert.ok(turnsOfLines > 4, `${turnsOfLines} turns`);
    assert.deepEqual(
      (await lines).streams,
      [...whole(lineSteps(longLines, options)).streams].map(([streamId, builder]) => ({
        streamId,
        rows: builder.rows(),
      })),
    );
  });

  it('is not read a second time, and its memory is counted once', async () => {
    const ids = longList('"a"', 100_000);
    let taken = 0;
    const share = { take: (bytes: number) => (taken += bytes) };
    await readAhead(ids, queryLimits, share, () => staying);
    const first = taken;
    assert.ok(first > ids.length, `${first} bytes`);
    decodeBody(ids, queryLimits, undefined, share);
    assert.equal(taken, first);
  });

  it('is refused where its value is asked for, as it is when read at once', async () => {
    const blank = ' '.repeat(70_000);
    const wrong = [
      `[${blank}`,
      blank,
      `{"a":1,${blank}"a":2}`,
      `{"a":${blank}-1e999}`,
      `${blank}${'['.repeat(70)}`,
      longList('{}', 1_000_000).toString(),
    ];
    for (const text of wrong) {
      const body = bytesOf(text);
      await readAhead(body, queryLimits, noLimit, () => staying);
      const atOnce = thrownBy(() => decodeBody(bytesOf(text), queryLimits));
      assert.ok(atOnce !== undefined);
      assert.deepEqual(
        thrownBy(() => decodeBody(body, queryLimits)),
        atOnce,
      );
    }
    const nothing = bytesOf(blank);
    await readAhead(nothing, queryLimits, noLimit, () => staying);
    assert.deepEqual(decodeStreamFilter(nothing), {});
  });

  it('is read no further when its client leaves', async () => {
    const leaving = new AbortController();
    const reason = new Error('the client left');
    let steps = 0;
    function* endless(): Steps<void> {
      for (;;) {
        if (++steps === 1000) leaving.abort(reason);
        yield;
      }
    }
    await assert.rejects(decodeInSlices(endless(), leaving.signal), reason);
    const taken = steps;
    await new Promise(setImmediate);
    assert.equal(steps, taken);

    const ids = longList('"a"', 1_000_000);
    await assert.rejects(readAhead(ids, queryLimits, noLimit, () => leaving.signal)!, reason);
    const events = decodeInSlices(eventSteps(manyEvents, defaultPayloadLimits), leaving.signal);
    await assert.rejects(events, reason);
  });

  it('is worth it only above its size', () => {
    const body = longList('"a"', 1000);
    assert.equal(
      readAhead(body, queryLimits, noLimit, () => staying),
      undefined,
    );
  });
});

function thrownBy(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message}`;
  }
}
