import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scratchPool } from '../../../../src/store/clickhouse/read/scratch-memory.ts';

test('gives pieces of memory that do not overlap, where any typed array may begin', () => {
  const memory = scratchPool().open();
  const lengths = [3, 8, 0, 1_000_000, 13, 60_000, 2_000_000, 5, 1 << 20, 1];
  const pieces = lengths.map((length, i) => memory.take(length).fill(i));
  pieces.forEach((piece, i) => {
    assert.equal(piece.length, lengths[i]);
    assert.equal(piece.byteOffset % 8, 0);
    assert.ok(piece.every((byte) => byte === i));
  });
});

test('keeps memory that was given back for the next, and none that is in use', () => {
  const pool = scratchPool();
  const [first, second] = [pool.open(), pool.open()];
  const used = first.take(100).buffer;
  assert.notEqual(second.take(100).buffer, used);
  first.release();
  const [third, fourth] = [pool.open(), pool.open()];
  assert.equal(third.take(100).buffer, used);
  assert.notEqual(fourth.take(100).buffer, used);
  // It may be used again itself.
  assert.notEqual(first.take(100).buffer, used);
});
