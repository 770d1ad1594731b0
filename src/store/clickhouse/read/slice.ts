import { Kind, type ParameterKey } from '../../../domain/parameter-data.ts';
import type { StreamKey } from '../../../domain/stream.ts';
import { type TagSet, tagSetOfKey } from '../../../domain/tags.ts';
import type { Strings } from './byte-reader.ts';
import { type KeyedTexts, type NativeAnswerBlock, valuesOf } from './native-answer.ts';
import type { ScratchMemory } from './scratch-memory.ts';

/**
 * The values of a slice of time as ClickHouse gave them: in the order of the table's key, mostly, so that values of one
 * stream and one parameter stand together. Such pieces are all that is kept in mind of them.
 */
export interface Slice {
  readonly blocks: readonly ValueBlock[];
  readonly pieces: Pieces;
  readonly streams: readonly StreamKey[];
  readonly tagSets: readonly TagSet[];
  readonly values: number;
  /** What the blocks are in, but for their texts. */
  readonly memory: ScratchMemory;
}

export interface ValueBlock {
  /** Two words a time (ns), the lower one first. */
  readonly times: Int32Array;
  /** Per value an index into `tagSets`, which has indexes into the slice's. */
  readonly tagIndex: KeyedTexts['index'];
  readonly tagSets: Int32Array;
  readonly numbers: Float64Array;
  /** Of strings, binaries and events. */
  readonly texts: Strings | undefined;
}

/** Values [start, end) of a block that have one stream, one parameter and one window; column by column. */
export interface Pieces {
  readonly windows: number[];
  /** Indexes into the slice's streams. */
  readonly streams: number[];
  /** Indexes into the plan's parameters. */
  readonly parameters: number[];
  readonly blocks: number[];
  readonly starts: number[];
  readonly ends: number[];
}

export interface SliceBuilder {
  add(block: NativeAnswerBlock): void;
  readonly values: number;
  /** Of strings, binaries and events. */
  readonly textBytes: number;
  build(): Slice;
}

/**
 * A window is 2^52 ns, so that doubles hold every time as an offset from the start of its window: how many of the upper
 * half of a time's bits are its offset's.
 */
export const windowBits = 52n;
const upperBits = 20;
const upperMask = 2 ** upperBits - 1;

/** ns from the start of the window of a block's value. */
export function offsetOf({ times }: ValueBlock, value: number): number {
  return (times[2 * value + 1]! & upperMask) * 2 ** 32 + (times[2 * value]! >>> 0);
}

/** What the values of a read have alike and is known without them; undefined where they differ. Topics are folded. */
export interface Alike {
  readonly topic: string | undefined;
  readonly streamId: string | undefined;
  readonly kind: Kind | undefined;
}

/**
 * Takes blocks of timestamp, tags, parameter, number, where they are not alike topic, stream and kind, and, where
 * `hasTexts`, text. Topics are named as they come: folded.
 */
export function sliceBuilder(
  parameters: readonly ParameterKey[],
  alike: Alike,
  memory: ScratchMemory,
): SliceBuilder {
  const hasTexts = asksTexts(parameters);
  const blocks: ValueBlock[] = [];
  const pieces: Pieces = { windows: [], streams: [], parameters: [], blocks: [], starts: [], ends: [] };
  const streams = numbering<StreamKey>();
  const tagSets = numbering<TagSet>();
  const places = new Map(parameters.map(({ kind, name }, i) => [`${kind}:${name}`, i]));
  let values = 0;
  let textBytes = 0;

  function add(block: NativeAnswerBlock): void {
    const { rows } = block;
    let place = 0;
    const times = valuesOf(block, place++, 'integers');
    const tags = valuesOf(block, place++, 'keys');
    const names = valuesOf(block, place++, 'keys');
    const doubles = valuesOf(block, place++, 'doubles');
    const none = memory.take(rows).fill(0);
    const keysOf = (same: string | undefined): KeyedTexts =>
      same === undefined ? valuesOf(block, place++, 'keys') : { texts: [same], index: none };
    const topics = keysOf(alike.topic);
    const ids = keysOf(alike.streamId);
    const kinds =
      alike.kind === undefined ? valuesOf(block, place++, 'bytes') : memory.take(rows).fill(alike.kind);
    const added: ValueBlock = {
      times: new Int32Array(times.buffer, times.byteOffset, 2 * rows),
      tagIndex: tags.index,
      tagSets: new Int32Array(tags.texts.length).fill(-1),
      numbers: doubles,
      texts: hasTexts ? valuesOf(block, place, 'strings') : undefined,
    };
    const number = blocks.push(added) - 1;
    findPieces(added, topics.index, ids.index, names.index, kinds, (start, end) => {
      const topic = topics.texts[topics.index[start]!]!;
      const streamId = ids.texts[ids.index[start]!]!;
      pieces.windows.push(windowOf(added.times, start));
      pieces.streams.push(streams.of(`${topic.length} ${topic}${streamId}`, () => ({ streamId, topic })));
      pieces.parameters.push(places.get(`${kinds[start]}:${names.texts[names.index[start]!]}`)!);
      pieces.blocks.push(number);
      pieces.starts.push(start);
      pieces.ends.push(end);
    });
    numberTags(added, rows, (tag) => tagSets.of(tags.texts[tag]!, () => tagSetOfKey(tags.texts[tag]!)));
    values += rows;
    textBytes += added.texts?.bytes.length ?? 0;
  }

  return {
    add,
    get values() {
      return values;
    },
    get textBytes() {
      return textBytes;
    },
    build: () => ({ blocks, pieces, streams: streams.all, tagSets: tagSets.all, values, memory }),
  };
}

/** Whether some of the values that are asked for are no numbers. */
export function asksTexts(parameters: readonly ParameterKey[]): boolean {
  return parameters.some(({ kind }) => kind !== Kind.Numeric);
}

function windowOf(times: Int32Array, value: number): number {
  return times[2 * value + 1]! >> upperBits;
}

type Index = KeyedTexts['index'];

function findPieces(
  { times }: ValueBlock,
  topics: Index,
  ids: Index,
  names: Index,
  kinds: Uint8Array,
  found: (start: number, end: number) => void,
): void {
  const rows = kinds.length;
  let start = 0;
  for (let row = 1; row < rows; row++) {
    if (
      names[row] === names[start] &&
      ids[row] === ids[start] &&
      topics[row] === topics[start] &&
      kinds[row] === kinds[start] &&
      windowOf(times, row) === windowOf(times, start)
    )
      continue;
    found(start, row);
    start = row;
  }
  found(start, rows);
}

/** Gives the tag sets that the block's values have their numbers in the slice; a dictionary may have more. */
function numberTags(
  { tagIndex, tagSets }: ValueBlock,
  rows: number,
  numberOf: (tag: number) => number,
): void {
  for (let row = 0; row < rows; row++) {
    const tag = tagIndex[row]!;
    if (tagSets[tag]! < 0) tagSets[tag] = numberOf(tag);
  }
}

/** Things numbered from 0 as they come, by a text that tells them apart. */
function numbering<Thing>() {
  const numbers = new Map<string, number>();
  const all: Thing[] = [];
  return {
    all,
    of(key: string, make: () => Thing): number {
      let number = numbers.get(key);
      if (number === undefined) {
        number = all.push(make()) - 1;
        numbers.set(key, number);
      }
      return number;
    },
  };
}
