import { type Column, isPresent, Kind } from '../../domain/parameter-data.ts';
import type { ResultBlock } from '../../domain/result.ts';
import type { TagSet } from '../../domain/tags.ts';

/**
 * The answer of `/events/data` (contract, section 4):
 *
 *   { "data": { eventId: [{ "timestamp": int64, "value": string or, for counts, number, "tags": { name: string } },
 *               ...] } }
 *
 * Events stand one after another, each with its rows; but rows come with all events at a time. So each event has a
 * text of its own that grows with the rows, and the answer is these texts in turn.
 */
export interface EventAnswer {
  /** Appends the rows of a block with columns for events from `first` on. Gives the bytes that the answer grew by, about. */
  add(block: EventBlock, first: number): number;
  /** The whole answer, and how many events have happened in it. */
  finish(): { readonly chunks: Iterable<Uint8Array>; readonly rows: number };
}

/** Rows whose columns are aligned with the events; each row has the tags `tags.json[tags.index[row]]`. */
export interface EventBlock extends Pick<ResultBlock, 'count' | 'base' | 'offsets' | 'columns'> {
  readonly tags: {
    /** Texts of JSON objects. */
    readonly json: readonly string[];
    /** Undefined: every row has the first. */
    readonly index: Uint32Array | undefined;
  };
}

export interface EventAnswerOptions {
  readonly eventIds: readonly string[];
  /** Whether events without rows stand in the answer, with an empty array. */
  readonly keepEmpty: boolean;
  readonly int64AsString: boolean;
}

const chunkLength = 64 * 1024;

export function createEventAnswer({ eventIds, keepEmpty, int64AsString }: EventAnswerOptions): EventAnswer {
  const quote = int64AsString ? '"' : '';
  const texts = eventIds.map((): EventTexts => ({ full: [], text: '' }));
  let rows = 0;

  function append(event: number, column: Column, block: EventBlock): number {
    const { count, base, offsets, tags } = block;
    const target = texts[event]!;
    const valueAt = valueReader(column);
    let length = 0;
    for (let row = 0; row < count; row++) {
      if (!isPresent(column.present, row)) continue;
      const separator = target.text === '' && target.full.length === 0 ? '' : ',';
      const time = base + BigInt(offsets[row]!);
      const json = tags.json[tags.index?.[row] ?? 0]!;
      const text = `${separator}{"timestamp":${quote}${time}${quote},"value":${valueAt(row)},"tags":${json}}`;
      target.text += text;
      length += text.length;
      rows++;
      if (target.text.length < chunkLength) continue;
      target.full.push(Buffer.from(target.text));
      target.text = '';
    }
    return length;
  }

  return {
    add(block, first) {
      let grown = 0;
      for (const [i, column] of block.columns.entries())
        if (column !== undefined) grown += append(first + i, column, block);
      return grown;
    },
    finish: () => ({ chunks: chunksOf(eventIds, texts, keepEmpty), rows }),
  };
}

/** The rows of an event as texts: those that are full, and what is still growing. */
interface EventTexts {
  readonly full: Buffer[];
  text: string;
}

/** No function of each answer: the engine would hold the texts until a full collection of garbage (aggregator.ts). */
function* chunksOf(
  eventIds: readonly string[],
  texts: readonly EventTexts[],
  keepEmpty: boolean,
): Generator<Uint8Array> {
  let pending = '{"data":{';
  let separator = '';
  for (const [event, { full, text }] of texts.entries()) {
    if (full.length === 0 && text === '' && !keepEmpty) continue;
    pending += `${separator}${JSON.stringify(eventIds[event])}:[`;
    separator = ',';
    if (full.length > 0) {
      yield Buffer.from(pending);
      yield* full;
      pending = '';
    }
    pending += `${text}]`;
    if (pending.length < chunkLength) continue;
    yield Buffer.from(pending);
    pending = '';
  }
  yield Buffer.from(`${pending}}}`);
}

/** The values of a column as JSON. */
function valueReader(column: Column): (row: number) => string {
  if (column.kind === Kind.Numeric) return (row) => String(column.values[row]!);
  const { bytes, ends } = column;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (row) => JSON.stringify(text.toString('utf8', row === 0 ? 0 : ends[row - 1]!, ends[row]!));
}

/** The tags of rows, all that they have. */
export function tagsOfSets(sets: readonly TagSet[]): string[] {
  return sets.map(({ pairs }) => JSON.stringify(Object.fromEntries(pairs)));
}

/** The tags of rows by the columns of `groupBy`; a row without a tag does not have it. */
export function tagsOfColumns(
  block: Pick<ResultBlock, 'count' | 'tags'>,
  groupBy: readonly string[],
): EventBlock['tags'] {
  const known = new Map<string, number>();
  const json: string[] = [];
  const index = Uint32Array.from({ length: block.count }, (_, row) => {
    const places = block.tags.map((column) => column.index?.[row] ?? 0);
    const key = places.join();
    let place = known.get(key);
    if (place === undefined) {
      const pairs = groupBy.map((tag, i) => [tag, block.tags[i]!.texts[places[i]!]] as const);
      place =
        json.push(JSON.stringify(Object.fromEntries(pairs.filter(([, text]) => text !== undefined)))) - 1;
      known.set(key, place);
    }
    return place;
  });
  return { json, index };
}
