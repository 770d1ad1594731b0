import { Kind, type ParameterKey } from '../../../domain/parameter-data.ts';
import type { StreamKey } from '../../../domain/stream.ts';
import { type TagSet, tagSetOfKey } from '../../../domain/tags.ts';
import { type KeyedTexts, listsOf, type NativeAnswerBlock, valuesOf } from './native-answer.ts';
import type { ScratchMemory } from './scratch-memory.ts';
import {
  endOfWindow,
  type Pieces,
  type RangeDelete,
  type Slice,
  type ValueBlock,
  windowOf,
} from './slice.ts';

export interface SliceBuilder {
  /** Takes timestamp, tags, parameter, number, where they are not alike topic, stream and kind, and, where `hasTexts`, text. */
  add(block: NativeAnswerBlock): void;
  /**
   * The same with arrays of timestamps, numbers and texts, then the version, and the first and the last time. Where the
   * arrays are empty, that is a delete.
   */
  addLists(block: NativeAnswerBlock): void;
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

  function addLists(block: NativeAnswerBlock): void {
    const { rows } = block;
    let place = 0;
    const { ends, elements: times } = listsOf(block, place++, 'integers');
    const tags = valuesOf(block, place++, 'keys');
    const names = valuesOf(block, place++, 'keys');
    const { elements: numbers } = listsOf(block, place++, 'doubles');
    const topics = alike.topic === undefined ? valuesOf(block, place++, 'keys') : undefined;
    const ids = alike.streamId === undefined ? valuesOf(block, place++, 'keys') : undefined;
    const kinds = alike.kind === undefined ? valuesOf(block, place++, 'bytes') : undefined;
    const texts = hasTexts ? listsOf(block, place++, 'strings').elements : undefined;
    const versions = valuesOf(block, place++, 'integers');
    const firsts = valuesOf(block, place++, 'integers');
    const lasts = valuesOf(block, place++, 'integers');
    const words = new Int32Array(times.buffer, times.byteOffset, 2 * times.length);
    const indexes = memory.take(4 * times.length);
    const tagIndex = new Uint32Array(indexes.buffer, indexes.byteOffset, times.length);
    const setOf = new Int32Array(tags.texts.length).fill(-1);
    const number = blocks.push({ times: words, tagIndex, tagSets: setOf, numbers, texts }) - 1;
    for (let row = 0; row < rows; row++) {
      const tag = tags.index[row]!;
      if (setOf[tag]! < 0) setOf[tag] = tagSets.of(tags.texts[tag]!, () => tagSetOfKey(tags.texts[tag]!));
      const stream = streamOf(
        alike.topic ?? topics!.texts[topics!.index[row]!]!,
        alike.streamId ?? ids!.texts[ids!.index[row]!]!,
      );
      const parameter = parameterOf(alike.kind ?? kinds![row]!, names.texts[names.index[row]!]!);
      const version = BigInt.asUintN(64, versions[row]!);
      const start = row === 0 ? 0 : ends[row - 1]!;
      const end = ends[row]!;
      if (start === end) {
        deletes.push({
          stream,
          parameter,
          tags: setOf[tag]!,
          first: firsts[row]!,
          last: lasts[row]!,
          version,
        });
        continue;
      }
      tagIndex.fill(tag, start, end);
      for (let from = start; from < end; ) {
        const to = endOfWindow(words, from, end);
        pieces.windows.push(windowOf(words, from));
        pieces.streams.push(stream);
        pieces.parameters.push(parameter);
        pieces.blocks.push(number);
        pieces.starts.push(from);
        pieces.ends.push(to);
        pieces.versions.push(version);
        from = to;
      }
    }
    values += times.length;
    textBytes += texts?.bytes.length ?? 0;
  }

  return {
    add,
    addLists,
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
