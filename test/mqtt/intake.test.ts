import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PitwallError } from '../../src/errors.ts';
import { createByteBudget } from '../../src/ingest/byte-budget.ts';
import type { SeriesWriter } from '../../src/ingest/write-series.ts';
import { type Incoming, Intake, type IntakeSender } from '../../src/mqtt/intake.ts';
import { Repeats } from '../../src/mqtt/repeats.ts';
import { whole } from '../../src/turns/steps.ts';
import { SparkplugNodes } from '../../src/wire/mqtt/sparkplug-nodes.ts';
import { intakeRules } from './intake-rules.ts';

const sender: IntakeSender = {
  workspace: 'default',
  tokenId: 't',
  clientId: 'c',
  connectedAt: 0n,
  candidatesFrom: undefined,
  numbered: 0,
  rebirth: () => undefined,
};
const message = (topic: string, payload = '1'): Incoming => ({
  topic,
  payload: Buffer.from(payload),
  packetId: 7,
  dup: false,
  arrivedAt: 5n,
  numberedBefore: 0,
  isOld: false,
});

/** An intake over a store that fails as `fail` says, before it takes what it is given: streams and times. */
function intakeOf(
  fail: (streams: readonly string[]) => PitwallError | undefined,
  kept = 0,
  tagProperties: readonly string[] = [],
) {
  const written: string[] = [];
  const counted: string[] = [];
  let later = 0;
  const write: SeriesWriter['write'] = async (_call, _bytes, steps) => {
    const read = whole(steps);
    const error = fail(read.streams.map(({ streamId }) => streamId));
    if (error !== undefined) throw error;
    for (const { streamId, rows } of read.streams)
      for (const { base, count } of rows) written.push(`${streamId} ${base} ${count}`);
    return { read, rows: read.streams.length, expired: 0, warning: undefined };
  };
  const catalog = { document: () => undefined, documentCount: () => kept };
  const intake = new Intake({
    series: { write },
    rules: intakeRules(),
    nodes: new SparkplugNodes(),
    repeats: new Repeats(
      { catalog, append: async () => undefined } as never,
      () => 0,
      () => counted.push('full'),
    ),
    budget: createByteBudget(1 << 20),
    door: {
      took: ({ rows }, leftOut, messages) =>
        counted.push(`took ${rows} of ${messages}`, ...[...leftOut!].map((one) => one.join(' '))),
      at: () => undefined,
      refused: (reason) => counted.push(reason),
    },
    tagProperties,
    onRefused: () => undefined,
    onLater() {
      later++;
    },
  });
  return { intake, written, counted, later: () => later };
}

const full = new PitwallError('disk_full');
const never = new AbortController().signal;

describe('messages of MQTT', () => {
  it('wait for a store that takes none now, and are written once', async () => {
    let times = 0;
    const { intake, written, later } = intakeOf(() => (times++ < 2 ? full : undefined));
    const outcomes = await intake.take(sender, [message('a/s/v'), message('a/s/w')], never);
    assert.deepEqual([outcomes, written, later()], [[undefined, undefined], ['s 5 2'], 2]);
  });

  it('are written where so many are kept that a repeat cannot be known, and counted', async () => {
    const { intake, written, counted } = intakeOf(() => undefined, 200_000);
    const timed = message('a/s', '{"timestamps":[4],"numericValues":{"v":[1]}}');
    await intake.take(sender, [message('a/s/v'), message('a/s/w'), timed], never);
    assert.deepEqual(written, ['s 5 2', 's 4 1']);
    assert.deepEqual(counted, ['full', 'full', 'took 2 of 3', 'repeats_full 2']);
  });

  it('have user properties as tags, and what of them is none is counted', async () => {
    const { intake, counted } = intakeOf(() => undefined, 0, ['*']);
    const userProperties = { site: ['a', 'b'], long: 'x'.repeat(100_000), '': 'y', empty: '' };
    await intake.take(sender, [{ ...message('a/s/v'), userProperties }], never);
    assert.deepEqual(counted, ['took 1 of 1', 'bad_attribute 3']);
  });

  it('are not acknowledged when their client leaves meanwhile', async () => {
    const leaving = new AbortController();
    const { intake, written } = intakeOf(() => {
      leaving.abort(new Error('left'));
      return full;
    });
    await assert.rejects(intake.take(sender, [message('a/s/v')], leaving.signal), /left/);
    assert.deepEqual(written, []);
  });

  it('are taken one by one where one of them cannot be', async () => {
    const { intake, written, counted } = intakeOf((streams) =>
      streams.includes('new') ? new PitwallError('too_many_streams') : undefined,
    );
    const messages = [message('a/s/v'), message('a/new/v'), message('a/t', '{"x":'), message('a/t/v')];
    const outcomes = await intake.take(sender, messages, never);
    assert.deepEqual(
      outcomes.map((error) => error?.code),
      [undefined, 'too_many_streams', 'bad_json', undefined],
    );
    assert.deepEqual(written, ['s 5 1', 't 5 1']);
    assert.deepEqual(counted.sort(), ['bad_json', 'too_many_streams', 'took 1 of 1', 'took 1 of 1']);
  });
});
