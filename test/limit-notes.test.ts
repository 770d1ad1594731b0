import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limitNotes } from '../src/limit-notes.ts';

describe('notes of a limit that is met', () => {
  it('come at once, then once a minute at most, with how often it was met', () => {
    let time = 5;
    const told: number[] = [];
    const note = limitNotes(
      () => time,
      (times) => told.push(times),
    );
    for (let i = 0; i < 100; i++) note();
    assert.deepEqual(told, [1]);
    time += 59_999;
    note();
    assert.deepEqual(told, [1]);
    time += 1;
    note();
    assert.deepEqual(told, [1, 101]);
  });
});
