import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterwards, first } from '../../../web/src/ui/turns.ts';

/** A fetch that ends when it is told to, and says when it began. */
function held(name: string, told: string[]) {
  let end = (_: string) => {};
  const promise = new Promise<string>((resolve) => {
    end = resolve;
  });
  const fetchValue = () => {
    told.push(name);
    return promise;
  };
  return { fetchValue, end: () => end(name) };
}

/** A timer comes after those of the same length that were set before it. */
const due = () => sleep(1);
const never = () => new AbortController().signal;

describe('turns of fetches', () => {
  it('lets others begin when what the picture waits for has ended, whichever was asked for first', async () => {
    const told: string[] = [];
    const [other, picture] = [held('other', told), held('picture', told)];
    const value = afterwards(other.fetchValue)(never());
    const drawn = first(picture.fetchValue)(never());
    await due();
    assert.deepEqual(told, ['picture']);
    picture.end();
    assert.equal(await drawn, 'picture');
    await due();
    assert.deepEqual(told, ['picture', 'other']);
    other.end();
    assert.equal(await value, 'other');
  });

  it('lets others begin where the picture failed, and where nothing is under way', async () => {
    const failed = first(() => Promise.reject(new Error('no')))(never());
    const value = afterwards(() => Promise.resolve(1))(never());
    await assert.rejects(failed, /no/);
    assert.equal(await value, 1);
    assert.equal(await afterwards(() => Promise.resolve(2))(never()), 2);
  });

  it('lets others begin where the picture cannot even be asked for', async () => {
    const failed = first(() => {
      throw new Error('no address');
    })(never());
    await assert.rejects(failed, /no address/);
    assert.equal(await afterwards(() => Promise.resolve(1))(never()), 1);
  });

  it('goes on waiting where what was given up begins anew in the same turn', async () => {
    const told: string[] = [];
    const [early, late, other] = [held('early', told), held('late', told), held('other', told)];
    const controller = new AbortController();
    first(early.fetchValue)(controller.signal);
    const value = afterwards(other.fetchValue)(never());
    controller.abort();
    const drawn = first(late.fetchValue)(never());
    await due();
    assert.deepEqual(told, ['early', 'late']);
    late.end();
    other.end();
    await Promise.all([drawn, value]);
    assert.deepEqual(told, ['early', 'late', 'other']);
  });

  it('begins nothing that was given up while it waited', async () => {
    const told: string[] = [];
    const [picture, other] = [held('picture', told), held('other', told)];
    const drawn = first(picture.fetchValue)(never());
    const controller = new AbortController();
    const value = afterwards(other.fetchValue)(controller.signal);
    controller.abort(new Error('not needed'));
    picture.end();
    await drawn;
    await assert.rejects(value, /not needed/);
    assert.deepEqual(told, ['picture']);
  });
});
