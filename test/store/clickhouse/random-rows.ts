import { type Column, Kind, type Rows } from '../../../src/domain/parameter-data.ts';
import { tagSet } from '../../../src/domain/tags.ts';
import type { Random } from '../../fuzz/random.ts';

const second = 1_000_000_000n;

/** Rows of two parameters whose times repeat, go back and share tags, with gaps. */
export function randomRows(random: Random): Rows {
  const count = 1 + random.below(60);
  const step = random.once(2) ? 1 : 50_000_000;
  const isSorted = random.once(3);
  const each = (of: (i: number) => number) => Array.from({ length: count }, (_, i) => of(i));
  const tagSets = [tagSet([]), tagSet([['lap', '1']]), tagSet([['lap', '2']])];
  const column = (name: string): Column => ({
    kind: Kind.Numeric,
    name,
    values: Float64Array.from(each(() => random.below(1000))),
    present: random.once(2) ? undefined : Uint8Array.from({ length: 8 }, () => random.below(256)),
  });
  return {
    count,
    base: BigInt(random.below(3)) * second,
    offsets: Float64Array.from(each((i) => step * (isSorted ? i : random.below(30)))),
    tagSets,
    tagIndex: random.once(3) ? undefined : Uint32Array.from(each(() => random.below(3))),
    columns: [column('a'), column('b')],
  };
}
