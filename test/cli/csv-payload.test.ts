import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPayload } from '../../src/cli/csv-payload.ts';

const payload = createPayload([
  { name: 'Time', use: 'timestamp' },
  { name: 'Speed', use: 'numeric' },
  { name: 'No"te', use: 'string' },
  { name: 'Void', use: 'empty' },
  { name: 'Lap', use: 'tag' },
]);

describe('a payload of CSV rows', () => {
  it('keeps the digits of numbers, and takes an empty cell for null', () => {
    payload.add({ line: 2, cells: ['1612191099000000001', '1.500', 'a "b"', '', '1'] });
    payload.add({ line: 3, cells: ['-5', '', '', '', ''] });
    payload.add({ line: 4, cells: ['007', 'NaN', 'NaN', '', '3'] });
    assert.equal(payload.rows, 3);
    assert.equal(
      payload.take(),
      '{"timestamps":[1612191099000000001,-5,7],"numericValues":{"Speed":[1.500,null,"NaN"]},' +
        '"stringValues":{"No\\"te":["a \\"b\\"",null,"NaN"]},"tagValues":{"Lap":["1",null,"3"]}}',
    );
  });

  it('is empty after it was taken', () => {
    assert.equal(payload.rows, 0);
    assert.equal(payload.size, 0);
    payload.add({ line: 5, cells: ['1', '2', '', '', ''] });
    assert.match(payload.take(), /^\{"timestamps":\[1\],"numericValues":\{"Speed":\[2\]\}/);
  });

  it('leaves out groups that the file does not have', () => {
    const plain = createPayload([{ name: 't', use: 'timestamp' }]);
    plain.add({ line: 2, cells: ['1'] });
    assert.equal(plain.take(), '{"timestamps":[1]}');
  });
});
