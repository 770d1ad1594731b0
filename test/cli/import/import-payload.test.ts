import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPayload } from '../../../src/cli/import/import-payload.ts';

const payload = createPayload([
  { name: 'Time', use: 'timestamp' },
  { name: 'Speed', use: 'numeric' },
  { name: 'No"te', use: 'string' },
  { name: 'Void', use: 'empty' },
  { name: 'Lap', use: 'tag' },
  { name: 'Speed', use: 'string' },
  { name: 'Raw', use: 'binary' },
  { name: 'streamId', use: 'stream' },
]);

describe('a payload of rows', () => {
  it('is their cells, column by column', () => {
    payload.add(['1612191099000000001', '1.500', '"a"', 'null', '"1"', '"x"', '"AA=="', '"s1"']);
    payload.add(['-5', 'null', 'null', 'null', 'null', 'null', 'null', '"s1"']);
    assert.equal(payload.rows(), 2);
    assert.equal(
      payload.take(),
      '"timestamps":[1612191099000000001,-5],"numericValues":{"Speed":[1.500,null]},' +
        '"stringValues":{"No\\"te":["a",null],"Speed":["x",null]},"binaryValues":{"Raw":["AA==",null]},' +
        '"tagValues":{"Lap":["1",null]}',
    );
  });

  it('is empty after it was taken', () => {
    assert.deepEqual([payload.rows(), payload.size()], [0, 0]);
    payload.add(['1', '2', 'null', 'null', 'null', 'null', 'null', '"s1"']);
    assert.match(payload.take(), /^"timestamps":\[1\],"numericValues":\{"Speed":\[2\]\}/);
  });

  it('leaves out groups that the file does not have', () => {
    const plain = createPayload([{ name: 't', use: 'timestamp' }]);
    plain.add(['1']);
    assert.equal(plain.take(), '"timestamps":[1]');
  });
});
