import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csvOf, inOrder, type NamedRow, nextOrder } from '../../../web/src/beside/report-rows.ts';

const row = (lap: string, least: number | undefined, seconds?: number): NamedRow => ({
  stream: { topic: 'cars', streamId: 'a,b' },
  run: 'The "first" run',
  lap,
  seconds,
  values: new Map([['Oil (hot)', { least, largest: 0.1 + 0.2, mean: undefined }]]),
});

describe('rows of a report', () => {
  const rows = [row('2', 3, 90.5), row('10', undefined), row('1', -1, 91)];
  const order = (text: string) => inOrder(rows, text).map(({ lap }) => lap);

  it('are in order of a column, those without a value last', () => {
    assert.deepEqual(order(''), ['2', '10', '1']);
    assert.deepEqual(order('least(Oil (hot))'), ['1', '2', '10']);
    assert.deepEqual(order('-least(Oil (hot))'), ['2', '1', '10']);
    assert.deepEqual(order('lap'), ['1', '2', '10']);
    assert.deepEqual(order('-time'), ['1', '2', '10']);
  });

  it('go from the least first to the largest first, and back to their own order', () => {
    assert.equal(nextOrder('', 'lap'), 'lap');
    assert.equal(nextOrder('lap', 'lap'), '-lap');
    assert.equal(nextOrder('-lap', 'lap'), '');
    assert.equal(nextOrder('-lap', 'time'), 'time');
  });

  it('are written with every digit', () => {
    assert.equal(
      csvOf(rows.slice(0, 1), [{ id: 'Oil (hot)', unit: '°C' }], ['least', 'largest', 'mean']),
      'Topic,Stream,Run,Lap,Time (s),Oil (hot) least (°C),Oil (hot) largest (°C),Oil (hot) mean (°C)\r\n' +
        'cars,"a,b","The ""first"" run",2,90.5,3,0.30000000000000004,\r\n',
    );
  });
});
