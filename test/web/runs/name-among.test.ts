import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { nameAmong } from '../../../web/src/runs/name-among.ts';

const run = (topic: string, streamId: string, name = streamId) => ({ topic, streamId, name });

describe('the name of a run among others', () => {
  it('has what tells it from the others behind it, and nothing else', () => {
    const all = [run('cars', 'one'), run('boats', 'one'), run('cars', 'two', 'Friday'), run('cars', 'three')];
    const named = all.map((own) => nameAmong(own, all));
    assert.deepEqual(named, ['one (cars)', 'one (boats)', 'Friday', 'three']);
    const friday = [
      run('cars', 'one', 'Friday'),
      run('cars', 'two', 'Friday'),
      run('boats', 'two', 'Friday'),
    ];
    assert.deepEqual(
      friday.map((own) => nameAmong(own, friday)),
      ['Friday (one)', 'Friday (cars/two)', 'Friday (boats/two)'],
    );
  });

  it('is that of no other, and does not become longer by the same run in other letters of its topic', () => {
    const word = fc.constantFrom('one', 'two', 'Friday');
    const runs = fc.uniqueArray(fc.tuple(fc.constantFrom('cars', 'boats'), word, word), {
      selector: ([topic, id]) => `${topic}/${id}`,
      size: 'max',
      maxLength: 6,
    });
    fc.assert(
      fc.property(runs, (found) => {
        const all = found.map(([topic, id, name]) => run(topic, id, name));
        assert.equal(new Set(all.map((own) => nameAmong(own, all))).size, all.length);
        for (const own of all)
          assert.equal(nameAmong(own, [{ ...own, topic: own.topic.toUpperCase() }]), own.name);
      }),
    );
  });
});
