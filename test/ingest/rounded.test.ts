import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BatchCommitter } from '../../src/ingest/commit.ts';
import { Writer } from '../../src/ingest/writer.ts';
import { createMetrics } from '../../src/metrics.ts';
import type { EmbeddedStore } from '../../src/store/embedded/store.ts';
import { neverAborted } from '../../src/turns/pace.ts';
import { longBodyBytes } from '../../src/wire/json/in-slices.ts';
import { intakeOf, messageOf, never, senderOf, valuesOf } from '../mqtt/intake-store.ts';
import { defaultPayloadLimits } from '../payload-limits.ts';
import { storeFolder } from '../store/embedded/store-folder.ts';

const folder = storeFolder('rounded');
const now = () => folder.now;

/** Parameter data of one row for each of these numbers, with spaces to this length. */
const dataOf = (numbers: readonly string[], bytes = 0, streamId = '') =>
  `{${streamId}"timestamps":[${numbers.map((_, i) => i + 1)}],"numericValues":{"v":[${numbers}]}}`.padEnd(
    bytes,
  );

const exact = ['9007199254740992', '-9007199254740992', '9007199254740993.0', '1e20', '12345678901234567000'];
const rounded = ['9007199254740993', '1', '-9007199254740993', '123456789012345678901'];

function writerTo(store: EmbeddedStore): Writer {
  const live = { capture: () => undefined, publish() {}, missed() {}, ended() {} };
  const clock = { now, wall: now, aheadMs: 60_000 };
  const committer = new BatchCommitter(store, live);
  return new Writer(store, defaultPayloadLimits, createMetrics(), clock, committer);
}

describe('whole numbers that no double holds', () => {
  const call = { workspace: 'default', topic: 't', streamId: 's', signal: () => neverAborted };
  const told =
    'A number was rounded, for a double holds whole numbers up to 2^53, and nothing nearer to 0 than 5e-324: the first is numericValues.v[1], 9007199254740993.';

  for (const bytes of [0, longBodyBytes]) {
    it(`are told with the write, which is done (${bytes} bytes)`, async () => {
      const store = await folder.open();
      const writer = writerTo(store);
      const write = async (text: string) => (await writer.parameterData(call, Buffer.from(text))).warning;
      assert.ok((await write(dataOf(['0', ...rounded.slice(0, 2)], bytes)))!.startsWith(told));
      assert.match((await write(dataOf(rounded, bytes)))!, /^3 numbers were .* numericValues\.v\[0\], 9007/);
      assert.doesNotMatch((await write(dataOf(exact, bytes))) ?? '', /rounded/);
      assert.deepEqual(
        (await valuesOf(store, 't', 's', 'v')).map(([, value]) => value),
        exact.map(Number),
      );
      const batch = `[${dataOf(exact, 0, '"streamId":"a",')},${dataOf(rounded, bytes, '"streamId":"b",')}]`;
      const { warning } = await writer.parameterDataBatch(call, Buffer.from(batch));
      assert.match(warning!, /^3 numbers .* \[1\]\.numericValues\.v\[0\], 9007199254740993\./);
    });
  }

  it('are told where they are nearer to 0 than any double', async () => {
    const store = await folder.open();
    const write = async (...numbers: readonly string[]) =>
      (await writerTo(store).parameterData(call, Buffer.from(dataOf(numbers)))).warning ?? '';
    const long = `0.${'0'.repeat(330)}1`;
    assert.match(
      await write('1', '1e-400', '-2.5E-999', long),
      /^3 numbers were rounded, .* numericValues\.v\[1\], 1e-400\./,
    );
    assert.deepEqual(
      (await valuesOf(store, 't', 's', 'v')).map(([, value]) => Math.abs(value as number)),
      [1, 0, 0, 0],
    );
    assert.doesNotMatch(await write('0', '0e-400', '-0.0', '5e-324', `0.${'0'.repeat(330)}`), /rounded/);
    const { intake, counted } = intakeOf(store, now);
    const texts = [dataOf(['1e-400']), '{"v":1e-400}', '{"v":[1e-400],"w":0e0}', '1e-400', '0'];
    const messages = texts.map((text, i) => messageOf(`m/z${i}`, text));
    await intake.take(senderOf('c', 0n), messages, never);
    assert.deepEqual(counted.get('rounded'), 4);
  });

  it('are counted of messages of MQTT', async () => {
    const store = await folder.open();
    const { intake, counted } = intakeOf(store, now);
    const texts = [
      dataOf(rounded),
      dataOf([...rounded, 'x']),
      `[${dataOf(rounded)}]`,
      dataOf(exact),
      dataOf(rounded, longBodyBytes),
      `{"v":${rounded[0]}}`,
    ];
    const messages = texts.map((text, i) => messageOf(`m/s${i}`, text));
    await intake.take(senderOf('c', 0n), messages, never);
    assert.deepEqual([...counted].sort(), [
      ['bad_json', 1],
      ['rounded', 10],
    ]);
  });
});
