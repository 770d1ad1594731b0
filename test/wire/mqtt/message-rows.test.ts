import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tagSet } from '../../../src/domain/tags.ts';
import { type MessageRead, withTags } from '../../../src/wire/mqtt/message-rows.ts';
import { ParameterDataDecoder } from '../../../src/wire/rows/parameter-data.ts';
import { Refused } from '../../../src/wire/series/refused.ts';
import { defaultPayloadLimits as limits } from '../../payload-limits.ts';

describe('user properties as tags of rows', () => {
  it('are no more than a row has room for, and those beyond are counted', () => {
    const names = Array.from({ length: limits.maxTags - 1 }, (_, i) => `t${String(i).padStart(3, '0')}`);
    const tagValues = Object.fromEntries(names.map((name) => [name, ['x']]));
    const payload = JSON.stringify({ timestamps: [1], numericValues: { v: [1] }, tagValues });
    const rows = new ParameterDataDecoder(limits).decode(Buffer.from(payload));
    const refused = new Refused();
    const tags = tagSet(['t000', 'u1', 'u2'].map((name) => [name, 'property']));
    const read = { rules: { limits }, message: { tags }, refused } as unknown as MessageRead;
    const [tagged] = withTags(read, [{ topic: 't', streamId: 's', rows, ends: [] }]);
    const { pairs } = tagged!.rows[0]!.tagSets[0]!;
    assert.equal(pairs.length, limits.maxTags);
    assert.deepEqual(
      pairs.filter(([, value]) => value === 'property').map(([name]) => name),
      ['t000', 'u1'],
    );
    assert.equal(refused.counts.get('bad_attribute'), 1);
  });
});
