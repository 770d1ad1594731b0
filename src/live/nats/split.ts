import type { EventRow } from '../../domain/event-data.ts';
import { type Column, Kind, type Rows } from '../../domain/parameter-data.ts';
import type { TagSet } from '../../domain/tags.ts';
import type { LiveContent } from '../live-package.ts';

/**
 * Content in parts that take no more than about `maxBytes` in memory, in order; most content is one part. A part is
 * larger only where a single value is. Receivers count on it: they do not believe a small message that claims more.
 */
export function splitContent(content: LiveContent, maxBytes: number): readonly LiveContent[] {
  switch (content.type) {
    case 'parameterData': {
      if (sizeOfContent(content) <= maxBytes) return [content];
      const parts = content.rows.flatMap((rows) => [...splitRows(rows, maxBytes)]);
      return parts.map((rows) => ({ type: 'parameterData', rows: [rows] }));
    }
    case 'eventData':
      return gathered(content.events, sizeOfEvent, maxBytes).map((events) => ({ type: 'eventData', events }));
    case 'parameterDefinitions':
      return gathered(content.definitions, sizeOfJson, maxBytes).map((definitions) => ({
        type: 'parameterDefinitions',
        definitions,
      }));
    case 'eventDefinitions':
      return gathered(content.definitions, sizeOfJson, maxBytes).map((definitions) => ({
        type: 'eventDefinitions',
        definitions,
      }));
    case 'stream':
    case 'close':
      return [content];
  }
}

/** Estimates the bytes that a content takes in memory. */
export function sizeOfContent(content: LiveContent): number {
  switch (content.type) {
    case 'parameterData':
      return content.rows.reduce((sum, rows) => sum + sizeOfRows(rows), 0);
    case 'eventData':
      return content.events.reduce((sum, event) => sum + sizeOfEvent(event), 0);
    default:
      return 0;
  }
}

/** Estimates the bytes that rows take in memory: 8 a number, absent ones too. */
export function sizeOfRows({ count, tagSets, tagIndex, columns }: Rows): number {
  const tags = tagSets.reduce((sum, { key }) => sum + key.length, 0);
  const index = tagIndex === undefined ? 0 : 8 * count;
  return columns.reduce((sum, column) => sum + sizeOfColumn(column, count), 8 * count + index + tags);
}

function sizeOfColumn(column: Column, count: number): number {
  const texts = column.kind === Kind.Numeric ? 0 : (column.ends[count - 1] ?? 0);
  return 8 * count + texts + column.name.length;
}

const sizeOfEvent = ({ id, value, tags }: EventRow) => 8 + id.length + value.length + tags.key.length;
const sizeOfJson = (value: object) => JSON.stringify(value).length;

/** The fewest rows of a piece: bitmaps are cut where a byte begins. */
const fewestRows = 8;

function* splitRows(rows: Rows, maxBytes: number): Generator<Rows> {
  const { count, columns } = rows;
  if (sizeOfRows(rows) <= maxBytes) yield rows;
  else if (count > fewestRows) {
    const middle = Math.max(fewestRows, (count >> 4) << 3);
    yield* splitRows(sliceRows(rows, 0, middle), maxBytes);
    yield* splitRows(sliceRows(rows, middle, count), maxBytes);
  } else if (columns.length > 1) {
    const middle = columns.length >> 1;
    yield* splitRows({ ...rows, columns: columns.slice(0, middle) }, maxBytes);
    yield* splitRows({ ...rows, columns: columns.slice(middle) }, maxBytes);
  } else yield rows;
}

/** Views of the same memory. @param from a multiple of 8 */
function sliceRows(rows: Rows, from: number, to: number): Rows {
  return {
    ...rows,
    count: to - from,
    offsets: rows.offsets.subarray(from, to),
    ...tagsOf(rows, from, to),
    columns: rows.columns.map((column) => sliceColumn(column, from, to)),
  };
}

/** Only the tag sets that these rows have: there may be one for each row. */
function tagsOf({ tagSets, tagIndex }: Rows, from: number, to: number): Pick<Rows, 'tagSets' | 'tagIndex'> {
  if (tagIndex === undefined) return { tagSets, tagIndex };
  const places = new Map<number, number>();
  const used: TagSet[] = [];
  const index = tagIndex.subarray(from, to).map((old) => {
    let place = places.get(old);
    if (place === undefined) {
      place = used.length;
      places.set(old, place);
      used.push(tagSets[old]!);
    }
    return place;
  });
  return { tagSets: used, tagIndex: index };
}

function sliceColumn(column: Column, from: number, to: number): Column {
  const present = column.present?.subarray(from >> 3, (to + 7) >> 3);
  if (column.kind === Kind.Numeric) return { ...column, values: column.values.subarray(from, to), present };
  const start = from === 0 ? 0 : column.ends[from - 1]!;
  const ends = column.ends.subarray(from, to).map((end) => end - start);
  return { ...column, bytes: column.bytes.subarray(start, start + (ends.at(-1) ?? 0)), ends, present };
}

/** Lists of things that are no larger together; at least one list. */
function gathered<T>(things: readonly T[], sizeOf: (thing: T) => number, maxBytes: number): T[][] {
  const lists: T[][] = [[]];
  let size = 0;
  for (const thing of things) {
    const own = sizeOf(thing);
    if (size > 0 && size + own > maxBytes) {
      lists.push([]);
      size = 0;
    }
    lists.at(-1)!.push(thing);
    size += own;
  }
  return lists;
}
