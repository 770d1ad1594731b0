import type { TagPair } from '../../../domain/tags.ts';
import type { RowTags } from '../codecs/tags-codec.ts';

/**
 * The tags of row groups of a part, as far as reads have looked at them; those that ask which tags there are need nothing
 * else of a group. Each pair of a name and a value has a number in the part.
 */
export interface PartTags {
  /** By number. */
  readonly pairs: readonly TagPair[];
  /** What all of it takes in memory, about. */
  bytes(): number;
  /** Of the group at a position of the file; undefined of one that is not here. */
  of(position: number): GroupTags | undefined;
  /**
   * Adds a group, unless its sets change too often.
   *
   * @param step of its clock, ns; undefined where that is not regular
   */
  add(position: number, tags: RowTags, rows: number, step: number | undefined): void;
}

/** The tags of a group in runs: rows that follow one another and have the same set. */
export interface GroupTags {
  readonly step: number | undefined;
  /** By run, the first row behind it. */
  readonly ends: Uint32Array;
  /** Of each run the place behind its last pair in `numbers`. */
  readonly pairEnds: Uint32Array;
  readonly numbers: Uint32Array;
}

/** The rows on the average below which runs of a group would take more memory than they are worth. */
const fewestOfRun = 4;
/** The runs of a group that are kept whatever their length. */
const fewRuns = 8;
/** What a group and a pair take besides their numbers and texts. */
const groupBytes = 600;
const pairBytes = 200;

export function partTags(): PartTags {
  /** Undefined of one whose sets change too often. */
  const groups = new Map<number, GroupTags | undefined>();
  const numbers = new Map<string, Map<string, number>>();
  const pairs: TagPair[] = [];
  let bytes = 0;

  function numberOf([name, value]: TagPair): number {
    let values = numbers.get(name);
    if (values === undefined) {
      values = new Map();
      numbers.set(name, values);
    }
    let number = values.get(value);
    if (number === undefined) {
      number = pairs.push([name, value]) - 1;
      values.set(value, number);
      bytes += pairBytes + 2 * (name.length + value.length);
    }
    return number;
  }

  return {
    pairs,
    bytes: () => bytes,
    of: (position) => groups.get(position),
    add(position, { tagSets, tagIndex }, rows, step) {
      if (groups.has(position)) return;
      groups.set(position, undefined);
      bytes += groupBytes;
      const ends: number[] = [];
      const pairEnds: number[] = [];
      const ofRuns: number[] = [];
      const most = Math.max(fewRuns, rows / fewestOfRun);
      const numbersOf = tagSets.map((): number[] | undefined => undefined);
      for (let row = 0; row < rows; ) {
        const set = tagIndex?.[row] ?? 0;
        let end = tagIndex === undefined ? rows : row + 1;
        while (end < rows && tagIndex![end] === set) end++;
        if (ends.push(end) > most) return;
        numbersOf[set] ??= tagSets[set]!.pairs.map(numberOf);
        pairEnds.push(ofRuns.push(...numbersOf[set]!));
        row = end;
      }
      groups.set(position, {
        step,
        ends: Uint32Array.from(ends),
        pairEnds: Uint32Array.from(pairEnds),
        numbers: Uint32Array.from(ofRuns),
      });
      bytes += 4 * (2 * ends.length + ofRuns.length);
    },
  };
}

/** The pairs of rows `[first, end)` of a group, some of them more than once. */
export function visitPairs(
  { ends, pairEnds, numbers }: GroupTags,
  first: number,
  end: number,
  visit: (pair: number) => void,
): void {
  let run = 0;
  while (ends[run]! <= first) run++;
  for (let row = first; row < end; row = ends[run++]!) {
    for (let i = run === 0 ? 0 : pairEnds[run - 1]!; i < pairEnds[run]!; i++) visit(numbers[i]!);
  }
}
