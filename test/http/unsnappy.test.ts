import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compressSync } from 'snappy';
import { unsnappy } from '../../src/http/unsnappy.ts';

const free = { take: (): void => undefined };

describe('a block of Snappy', () => {
  it('is decompressed', async () => {
    for (const length of [0, 1, 60, 61, 100_000, 3_000_000]) {
      const text = Buffer.from(Array.from({ length }, (_, i) => (i * i) % 251));
      assert.ok((await unsnappy(compressSync(text), 3_000_000, free)).equals(text));
    }
    assert.equal((await unsnappy(Buffer.alloc(0), 10, free)).length, 0);
  });

  it('is not believed before its length is small enough and has memory', async () => {
    const bomb = compressSync(Buffer.alloc(50_000_000));
    await assert.rejects(unsnappy(bomb, 49_999_999, free), { code: 'body_too_large' });
    const taken: number[] = [];
    const refusing = {
      take(bytes: number) {
        taken.push(bytes);
        throw new Error('no more');
      },
    };
    await assert.rejects(unsnappy(bomb, 50_000_000, refusing), /no more/);
    assert.deepEqual(taken, [50_000_000]);
    const liar = Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0]);
    await assert.rejects(unsnappy(liar, 32 << 20, free), { code: 'body_too_large' });
  });

  it('is refused where it is cut, or has another length than it says', async () => {
    const block = compressSync(Buffer.from('hello hello hello hello hello world'));
    const of = (first: number) => Buffer.concat([Buffer.from([first]), block.subarray(1)]);
    for (const wrong of [
      block.subarray(0, block.length - 1),
      of(block[0]! + 1),
      of(block[0]! - 1),
      Buffer.from([0x80]),
      Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
      Buffer.from([4, 0x01, 0x09]),
      Buffer.from('{"no":"snappy"}'),
    ])
      await assert.rejects(unsnappy(wrong, 1000, free), { code: 'bad_encoding' });
  });
});
