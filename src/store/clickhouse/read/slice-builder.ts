import { Kind, type ParameterKey } from '../../../domain/parameter-data.ts';
import type { StreamKey } from '../../../domain/stream.ts';
import { type TagSet, tagSetOfKey } from '../../../domain/tags.ts';
import { type Sql, sql } from '../server/sql.ts';
import { type KeyedTexts, type NativeAnswerBlock, valuesOf } from './native-answer.ts';
import type { ScratchMemory } from './scratch-memory.ts';
import { type Pieces, type RangeDelete, type Slice, type ValueBlock, windowOf } from './slice.ts';

export interface SliceBuilder {
  /** Takes timestamp, tags, parameter, number, where they are not alike topic, stream and kind, and, where `hasTexts`, text. */
  add(block: NativeAnswerBlock): void;
  values(): number;
  /** Of strings, binaries and events. */
  textBytes(): number;
  /** For whoever takes blocks of another form. */
  readonly draft: SliceDraft;
  build(): Slice;
}

/** A slice as far as it is there. */
export interface SliceDraft {
  readonly blocks: ValueBlock[];
  readonly pieces: Pieces;
  readonly deletes: RangeDelete[];
  readonly tagSets: Numbering<TagSet>;
  /** The number of a stream in the slice. */
  streamOf(topic: string, streamId: string): number;
  /** Its place in the plan. */
  parameterOf(kind: number, name: string): number;
  /** Of so many values, and so many bytes of texts, pieces are added. */
  count(values: number, textBytes: number): void;
}

/** What the values of a read have alike and is known without them; undefined where they differ. Topics are folded. */
export interface Alike {
  readonly topic: string | undefined;
  readonly streamId: string | undefined;
  readonly kind: Kind | undefined;
}

/** The columns of what differs. */
export function differingColumns(alike: Alike): Sql[] {
  return [
    ...(alike.topic === undefined ? [sql`topic`] : []),
    ...(alike.streamId === undefined ? [sql`stream`] : []),
    ...(alike.kind === undefined ? [sql`CAST(kind, 'Int8')`] : []),
  ];
}

/** Topics are named as they come: folded. */
export function sliceBuilder(
  parameters: readonly ParameterKey[],
  alike: Alike,
  memory: ScratchMemory,
): SliceBuilder {
  const hasTexts = asksTexts(parameters);
  const blocks: ValueBlock[] = [];
  const pieces: Pieces = {
    windows: [],
    streams: [],
    parameters: [],
    blocks: [],
    starts: [],
    ends: [],
    versions: [],
    levels: [],
  };
  const deletes: RangeDelete[] = [];
  const streams = numbering<StreamKey>();
  const tagSets = numbering<TagSet>();
  const places = new Map(parameters.map(({ kind, name }, i) => [`${kind}:${name}`, i]));
  let values = 0;
  let textBytes = 0;
  const draft: SliceDraft = {
    blocks,
    pieces,
    deletes,
    tagSets,
    streamOf: (topic, streamId) =>
      streams.of(`${topic.length} ${topic}${streamId}`, () => ({ streamId, topic })),
    parameterOf: (kind, name) => places.get(`${kind}:${name}`)!,
    count(more, bytes) {
      values += more;
      textBytes += bytes;
    },
  };
  const { streamOf, parameterOf } = draft;

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
      pieces.windows.push(windowOf(added.times, start));
      pieces.streams.push(streamOf(topics.texts[topics.index[start]!]!, ids.texts[ids.index[start]!]!));
      pieces.parameters.push(parameterOf(kinds[start]!, names.texts[names.index[start]!]!));
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
    draft,
    values: () => values,
    textBytes: () => textBytes,
    build: () => ({ blocks, pieces, streams: streams.all, tagSets: tagSets.all, values, deletes, memory }),
  };
}

/** Whether some of the values that are asked for are no numbers. */
export function asksTexts(parameters: readonly ParameterKey[]): boolean {
  return parameters.some(({ kind }) => kind !== Kind.Numeric);
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
interface Numbering<Thing> {
  readonly all: Thing[];
  of(key: string, make: () => Thing): number;
}

function numbering<Thing>(): Numbering<Thing> {
  const numbers = new Map<string, number>();
  const all: Thing[] = [];
  return {
    all,
    of(key, make) {
      let number = numbers.get(key);
      if (number === undefined) {
        number = all.push(make()) - 1;
        numbers.set(key, number);
      }
      return number;
    },
  };
}
