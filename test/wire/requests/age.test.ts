import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeAge } from '../../../src/wire/requests/age.ts';
import { decodeTopicSettings } from '../../../src/wire/requests/topic-settings.ts';
import { assertFault, bytesOf } from '../faults.ts';

const retention = (text: string) => decodeTopicSettings(bytesOf(`{"retention":${text}}`)).retention;

describe('an age', () => {
  it('is digits and a unit, and comes back in the largest unit that it is a whole number of', () => {
    const ages: [given: string, seconds: bigint, shown: string][] = [
      ['1s', 1n, '1s'],
      ['90s', 90n, '90s'],
      ['120s', 120n, '2m'],
      ['36h', 129_600n, '36h'],
      ['48h', 172_800n, '2d'],
      ['2w', 1_209_600n, '14d'],
      ['30d', 2_592_000n, '30d'],
      ['365d', 31_536_000n, '1y'],
      ['292y', 292n * 31_536_000n, '292y'],
    ];
    for (const [given, seconds, shown] of ages) {
      assert.equal(retention(`"${given}"`), seconds * 1_000_000_000n, given);
      assert.equal(writeAge(seconds * 1_000_000_000n), shown);
    }
  });

  it('is nothing where it is null or left out', () => {
    assert.equal(retention('null'), undefined);
    assert.equal(decodeTopicSettings(bytesOf('')).retention, undefined);
  });

  it('is refused in any other form', () => {
    for (const text of ['', '30', 'd', '0d', '-1d', '1.5d', '1D', '1 d', '293y', '9999999999999s', '30d ']) {
      assertFault(
        () => retention(`"${text}"`),
        'invalid_value',
        'retention',
        's m h d w y',
        'from 1s to 292y',
      );
    }
    assertFault(() => retention('30'), 'wrong_type', 'retention');
  });
});
