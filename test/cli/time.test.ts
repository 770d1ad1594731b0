import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CommandError } from '../../src/cli/command.ts';
import { readTime } from '../../src/cli/time.ts';

const place = () => '--from';

describe('a time on the command line', () => {
  const times: [text: string, nanos: bigint][] = [
    ['0', 0n],
    ['-5', -5n],
    ['1591733989000000001', 1_591_733_989_000_000_001n],
    ['2020-06-09T20:19:49.000000001Z', 1_591_733_989_000_000_001n],
    ['2020-06-09T22:19:49.5+02:00', 1_591_733_989_500_000_000n],
    ['2020-06-09 20:19', 1_591_733_940_000_000_000n],
    ['2020-06-09', 1_591_660_800_000_000_000n],
    ['1969-12-31T23:59:59.999999999Z', -1n],
    ['1969-12-31T23:59:59.9999Z', -100_000n],
    ['2262-04-11T23:47:16.854775807Z', 2n ** 63n - 1n],
  ];
  for (const [text, nanos] of times) {
    it(`${text} is ${nanos} ns`, () => assert.equal(readTime(text, place), nanos));
  }

  it('is refused, naming its place, where it is none or beyond 64 bits', () => {
    for (const text of ['', 'soon', '1.5', '2020-02-30', '2020-06-09T25:00Z']) {
      assert.throws(() => readTime(text, place), /--from: '.*' is neither nanoseconds nor a time/);
    }
    for (const text of ['9223372036854775808', '9999-01-01']) {
      assert.throws(() => readTime(text, place), /--from: .* is out of the range/);
    }
    assert.throws(() => readTime('soon', place), CommandError);
  });
});
