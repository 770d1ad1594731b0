import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSparkplug } from '../../../src/wire/mqtt/sparkplug-payload.ts';

describe('a payload of Sparkplug', () => {
  it('has aliases of 64 bits, no two of which are one', () => {
    const aliases = [0n, 7n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 64n - 2n, 2n ** 64n - 1n];
    const { metrics } = readSparkplug(Buffer.concat(aliases.map(metricOf)));
    assert.deepEqual(
      metrics.map(({ alias }) => BigInt(alias!)),
      aliases,
    );
  });
});

/** A metric that has only this alias. */
function metricOf(alias: bigint): Buffer {
  const bytes = [0x10];
  let rest = alias;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from([0x12, bytes.length, ...bytes]);
}
