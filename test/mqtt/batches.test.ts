import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storeFolder } from '../store/embedded/store-folder.ts';
import { intakeOf, messageOf, never, senderOf, valuesOf } from './intake-store.ts';

const folder = storeFolder('mqtt-batches');
const large = { headBytes: 64 << 20, slabBytes: 16 << 20 };

/** Parameter data with as many rows, all of one value. */
const data = (rows: number, value: number): string =>
  JSON.stringify({
    timestamps: Array.from({ length: rows }, (_, i) => i + 1),
    numericValues: { v: new Array(rows).fill(value) },
  });

describe('a batch of MQTT', () => {
  it('that is read in slices keeps its values while another client writes', async () => {
    const store = await folder.open(large);
    const { intake } = intakeOf(store, () => folder.now);
    const rows = 5000;
    for (const sizes of [
      [rows, 60_000, 60_000, 60_000],
      [rows, 60_000, rows],
    ]) {
      const messages = sizes.map((size, i) => messageOf(`a${sizes.length}/s${i}`, data(size, 1)));
      let isDone = false;
      const writing = intake.take(senderOf('a', 0n), messages, never).then(() => {
        isDone = true;
      });
      while (!isDone) {
        await intake.take(senderOf('b', 0n), [messageOf('b/s', data(rows, 2))], never);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await writing;
      for (const [i, size] of sizes.entries()) {
        const wanted = Array.from({ length: size }, (_, at) => [BigInt(at + 1), 1]);
        assert.deepEqual(
          await valuesOf(store, `a${sizes.length}`, `s${i}`, 'v'),
          wanted,
          `message ${i} of ${sizes}`,
        );
      }
    }
  });

  it('names the topic of what is left out of it', async () => {
    const store = await folder.open();
    const { intake, told, counted } = intakeOf(store, () => folder.now);
    const messages = [messageOf('telegraf/good', 'a v=1 1'), messageOf('telegraf/half', 'a v=1 2\na v=')];
    assert.deepEqual(await intake.take(senderOf('a', 0n), messages, never), [undefined, undefined]);
    assert.deepEqual(
      told.map(([topic]) => topic),
      ['telegraf/half'],
    );
    assert.equal(counted.get('bad_series'), 1);
  });

  it('has one row of objects without a time, as they arrived together', async () => {
    const store = await folder.open();
    const { intake } = intakeOf(store, () => folder.now);
    await intake.take(senderOf('a', 0n), [messageOf('a/s', '[{"v":1},{"w":2},{"v":3}]')], never);
    assert.deepEqual(await valuesOf(store, 'a', 's', 'v'), [[5n, 3]]);
    assert.deepEqual(await valuesOf(store, 'a', 's', 'w'), [[5n, 2]]);
  });

  it('has the later of two values of one time, whatever the form of their messages', async () => {
    const store = await folder.open();
    const { intake } = intakeOf(store, () => folder.now);
    const data = '{"timestamps":[9],"numericValues":{"v":[2]}}';
    const flat = (value: number) => `[{"timestamp":"1970-01-01T00:00:00.000000009Z","v":${value}}]`;
    const messages = [flat(1), data, flat(3), flat(4), data].map((text) => messageOf('a/s', text));
    await intake.take(senderOf('a', 0n), messages, never);
    assert.deepEqual(await valuesOf(store, 'a', 's', 'v'), [[9n, 2]]);
    await intake.take(senderOf('a', 0n), messages.slice(0, 3), never);
    assert.deepEqual(await valuesOf(store, 'a', 's', 'v'), [[9n, 3]]);
  });

  it('counts nothing of a message that is refused', async () => {
    const store = await folder.open();
    const { intake, counted } = intakeOf(store, () => folder.now);
    const outcomes = await intake.take(
      senderOf('a', 0n),
      [messageOf('a/s', '[{"v":null},{"v":1},2]')],
      never,
    );
    assert.deepEqual([outcomes[0]?.code, [...counted]], ['wrong_type', [['wrong_type', 1]]]);
  });

  it('counts a message without a value, and tells of its topic', async () => {
    const store = await folder.open();
    const { intake, told, counted } = intakeOf(store, () => folder.now);
    const empty = ['{}', '[]', '{"timestamp":5}', '{"timestamps":[1],"numericValues":{"v":[null]}}'];
    const messages = [
      ...empty.map((payload, i) => messageOf(`json/${i}`, payload)),
      messageOf('telegraf/none', '# nothing\n'),
      messageOf('json/s', '{"v":1}'),
    ];
    const outcomes = await intake.take(senderOf('a', 0n), messages, never);
    assert.ok(outcomes.every((outcome) => outcome === undefined));
    assert.equal(counted.get('no_value'), 5);
    assert.deepEqual(
      told.map(([topic]) => topic),
      ['json/0', 'json/1', 'json/2', 'json/3', 'telegraf/none'],
    );
  });

  it('is warned of where its times were probably meant otherwise', async () => {
    folder.now = Date.parse('2026-06-01T12:00:00Z');
    const store = await folder.open();
    const { intake, doubts } = intakeOf(store, () => folder.now);
    const inMs = `{"timestamps":[${folder.now}],"numericValues":{"v":[1]}}`;
    const ahead = `{"timestamp":${folder.now + 3_600_000},"v":1}`;
    for (const [topic, payload] of [
      ['a/unit', inMs],
      ['a/ahead', ahead],
    ] as const)
      await intake.take(senderOf('a', 0n), [messageOf(topic, payload)], never);
    assert.equal(doubts.length, 2);
    assert.match(doubts[0]!, /of the stream "unit" is 1970.* probably meant in milliseconds/);
    assert.match(doubts[1]!, /of the stream "ahead" is further ahead of the service's clock/);
  });
});
