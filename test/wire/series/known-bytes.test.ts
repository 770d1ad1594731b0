import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WireReader } from '../../../src/protobuf/wire-reader.ts';
import { type HashOf, KnownBytes } from '../../../src/wire/series/known-bytes.ts';

const reader = (text: string, before = 0) => ({
  from: before,
  to: before + Buffer.byteLength(text),
  reader: new WireReader(Buffer.from(`${'.'.repeat(before)}${text}…`)),
});

function add(known: KnownBytes<string>, text: string, bytes = 0): void {
  const { reader: of, from, to } = reader(text);
  known.add(of, from, to, text, bytes);
}

function find(known: KnownBytes<string>, text: string, before = 0): string | undefined {
  const { reader: of, from, to } = reader(text, before);
  return known.find(of, from, to);
}

const texts = Array.from({ length: 1000 }, (_, i) => `${'series'.slice(0, i % 7)}${i}`);

describe('known bytes', () => {
  const hashes: Record<string, HashOf | undefined> = {
    'a hash': undefined,
    'a hash of their lengths': (_view, from, to) => to - from,
  };
  for (const [name, hashOf] of Object.entries(hashes)) {
    it(`are found in any order and at any place, others are not, with ${name}`, () => {
      const known = new KnownBytes<string>(undefined, hashOf);
      const some = hashOf === undefined ? texts : texts.slice(0, 60);
      for (const text of some) add(known, text);
      for (const text of some) assert.equal(find(known, text), text);
      for (const [i, text] of some.toReversed().entries()) assert.equal(find(known, text, i % 5), text);
      for (const text of some) {
        assert.equal(find(known, `${text}.`), undefined);
        assert.equal(find(known, text.replace(/.$/, '\u0000')), undefined);
      }
    });
  }

  it('whose hashes are all the same are found or not kept, and none is taken for another', () => {
    const known = new KnownBytes<string>(undefined, () => 7);
    for (const text of texts) add(known, text);
    const found = texts.toReversed().map((text) => [text, find(known, text)]);
    for (const [text, value] of found) assert.ok(value === undefined || value === text);
    assert.ok(found.filter(([, value]) => value !== undefined).length >= 64);
  });

  it('of no length are known as others are', () => {
    const known = new KnownBytes<string>();
    assert.equal(find(known, ''), undefined);
    add(known, 'a');
    assert.equal(find(known, ''), undefined);
  });

  it('are forgotten when others take the memory, but not those that were asked for since', () => {
    const known = new KnownBytes<string>(200_000);
    add(known, 'kept', 1000);
    add(known, 'left', 1000);
    for (let i = 0; i < 1000; i++) {
      add(known, `other ${i}`, 1000);
      assert.equal(find(known, 'kept'), 'kept');
    }
    assert.equal(find(known, 'left'), undefined);
    const left = Array.from({ length: 1000 }, (_, i) => find(known, `other ${i}`));
    assert.ok(left.filter((value) => value !== undefined).length < 200);
    assert.equal(left.at(-1), 'other 999');
  });

  it('are not kept where one value takes more than all may', () => {
    const known = new KnownBytes<string>(1000);
    add(known, 'a', 2000);
    assert.equal(find(known, 'a'), undefined);
  });
});
