import { Kind, type ParameterKey } from '../../../domain/parameter-data.ts';
import type { StreamKey } from '../../../domain/stream.ts';
import type { TagSet } from '../../../domain/tags.ts';
import { type Sql, sql } from '../server/sql.ts';
import type { ScratchMemory } from './scratch-memory.ts';
import type { Pieces, RangeDelete, Slice, ValueBlock } from './slice.ts';

export interface SliceBuilder {
  values(): number;
  /** Of strings, binaries and events. */
  textBytes(): number;
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
export function sliceBuilder(parameters: readonly ParameterKey[], memory: ScratchMemory): SliceBuilder {
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
  return {
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
