import { compileTagFilters, type TagPredicate } from '../../../query/plan/tag-predicate.ts';
import { every, integer, join, print, type Sql, sql } from '../server/sql.ts';
import { reaching, windowNumbers, windowPieces } from '../server/window-sql.ts';
import { readBlocks } from './read-blocks.ts';
import type { RunContext, SliceReading } from './run-context.ts';
import { isShown, type Retained, seriesRange, streamsInScope } from './selection-sql.ts';
import type { Slice } from './slice.ts';
import { asksTexts, differingColumns } from './slice-builder.ts';
import { windowAdder } from './stored-windows.ts';
import { tagConditions } from './tag-sql.ts';

/**
 * Values of few series, from windows as they stand in the table: what overlaps, is deleted, hidden or outside of the times is
 * found out here. A short read pays for its statements, so there are two of the simplest kind side by side: the windows, and
 * a look at the streams.
 *
 * @returns undefined where they are more than the slice may have
 */
export async function readWindows(reading: SliceReading, context: RunContext): Promise<Slice | undefined> {
  const { clickhouse, options } = context;
  const add = adderOf(reading, compileTagFilters(reading.plan.tagFilters));
  // Of a few rows it takes more to choose what is read first than to read all.
  const plain = { ...options, settings: { ...options.settings, optimize_move_to_prewhere: 0 } as const };
  const read = (select: Sql) => readBlocks(select, add, reading, { ...context, options: plain });

  const looking = clickhouse.rows<LookRow>(print(lookAt(reading.plan)), options);
  looking.catch(() => undefined); // It is waited for below, if it still matters.
  if (!(await read(limited(reading, selectWindows(reading))))) return undefined;
  return withoutStreams(reading.builder.build(), hiddenOf(await looking));
}

/** Values of more series: the server cuts out what is in the range. What overlaps or is deleted is found out here, too. */
export async function readPieces(reading: SliceReading, context: RunContext): Promise<Slice | undefined> {
  const select = limited(reading, selectPieces(reading));
  return (await readBlocks(select, adderOf(reading, undefined), reading, context))
    ? reading.builder.build()
    : undefined;
}

function adderOf({ plan, kept, alike, builder, memory }: SliceReading, tags: TagPredicate | undefined) {
  const wanted = { fromOf: retainedFrom(plan.from, kept), to: plan.to, tags };
  return windowAdder(builder.draft, plan.parameters, alike, wanted, memory);
}

/** From when on values of a folded topic are wanted. */
function retainedFrom(from: bigint, kept: Retained): (topic: string) => bigint {
  if (kept === undefined) return () => from;
  return (topic) => {
    const oldest = kept.topics.get(topic) ?? kept.others;
    return oldest > from ? oldest : from;
  };
}

/** What a part of `streams` says of a stream. */
type LookRow = [
  topic: string,
  stream: string,
  version: string,
  hidden: number,
  touched: string,
  removed: string,
];

/** The states of a plan's streams as they stand in the parts of the table: to merge them would take most of the statement. */
function lookAt(plan: SliceReading['plan']): Sql {
  return sql`SELECT topic, stream, toUInt64(tupleElement(hidden, 'version')), toUInt8(tupleElement(hidden, 'hidden')), toUInt64(touched), toUInt64(removed)
FROM streams WHERE ${every(streamsInScope(plan))}`;
}

interface StreamState {
  /** Of what `hidden` says. */
  version: bigint;
  hidden: number;
  touched: bigint;
  removed: bigint;
}

/** The streams that show nowhere (`catalog/visibility.ts`), as `nameOf` names them. */
function hiddenOf(look: readonly LookRow[]): ReadonlySet<string> {
  const states = new Map<string, StreamState>();
  for (const [topic, stream, hiddenAt, hidden, touchedAt, removedAt] of look) {
    const [version, touched, removed] = [hiddenAt, touchedAt, removedAt].map(BigInt) as [
      bigint,
      bigint,
      bigint,
    ];
    const name = nameOf(topic, stream);
    const state = states.get(name) ?? { version: -1n, hidden: 0, touched: 0n, removed: 0n };
    if (version > state.version || (version === state.version && hidden > state.hidden))
      Object.assign(state, { version, hidden });
    if (touched > state.touched) state.touched = touched;
    if (removed > state.removed) state.removed = removed;
    states.set(name, state);
  }
  const isHidden = ({ version, hidden, touched, removed }: StreamState) =>
    touched <= removed || (hidden === 1 && version > touched);
  return new Set([...states].filter(([, state]) => isHidden(state)).map(([name]) => name));
}

function nameOf(topic: string, streamId: string): string {
  return `${topic.length} ${topic}${streamId}`;
}

/** A slice without the values of some streams. */
function withoutStreams(slice: Slice, names: ReadonlySet<string>): Slice {
  const gone = slice.streams.map(({ topic, streamId }) => names.has(nameOf(topic, streamId)));
  if (!gone.includes(true)) return slice;
  const { pieces } = slice;
  const left = pieces.starts.map((_, piece) => piece).filter((piece) => !gone[pieces.streams[piece]!]);
  const pick = <Value>(values: readonly Value[]) => left.map((piece) => values[piece]!);
  return {
    ...slice,
    pieces: {
      windows: pick(pieces.windows),
      streams: pick(pieces.streams),
      parameters: pick(pieces.parameters),
      blocks: pick(pieces.blocks),
      starts: pick(pieces.starts),
      ends: pick(pieces.ends),
      versions: pick(pieces.versions),
      levels: pick(pieces.levels),
    },
  };
}

/**
 * What `windowAdder` takes of a window.
 *
 * @param columns times, numbers, of its pieces tags, first and last times, versions and counts, and its level
 */
function columnsOf({ plan, alike }: SliceReading, columns: Sql, texts: Sql): Sql {
  const hasTexts = asksTexts(plan.parameters);
  return join([columns, sql`parameter`, ...differingColumns(alike), ...(hasTexts ? [texts] : [])]);
}

/** The rows of `windows` in a range as they stand. */
function selectWindows(reading: SliceReading): Sql {
  const { plan, kept } = reading;
  // Numbers have no texts, and texts no numbers; where both are asked for, values have a place in both.
  const asLong = (values: Sql) =>
    asksTexts(plan.parameters) ? sql`arrayResize(${values}, length(times))` : values;
  const range = seriesRange(plan, kept);
  // A window may have more texts than memory holds: those outside of the range come empty.
  const texts = sql`if(first >= ${range.from} AND last <= ${range.to}, ${asLong(sql`texts`)},
    arrayMap((text, time) -> if(time BETWEEN ${range.from} AND ${range.to}, text, ''), ${asLong(sql`texts`)}, times))`;
  const columns = columnsOf(
    reading,
    sql`times, ${asLong(windowNumbers)}, pieces.tags, pieces.first, pieces.last, pieces.version, pieces.count, level`,
    texts,
  );
  const where = reaching(range);
  const tagged = tagConditions(plan.tagFilters);
  if (tagged.length > 0) where.push(sql`arrayExists(tags -> ${every(tagged)}, pieces.tags)`);
  return sql`SELECT ${columns} FROM windows WHERE ${every(where)}`;
}

/** Each piece in a range, without the values outside of it, as a window. */
function selectPieces(reading: SliceReading): Sql {
  const { plan, kept } = reading;
  const columns = columnsOf(
    reading,
    sql`times, numbers, [tags], [first], [last], [version], [toUInt32(length(times))], level`,
    sql`texts`,
  );
  const pieces = windowPieces(seriesRange(plan, kept), asksTexts(plan.parameters));
  return sql`SELECT ${columns} FROM (${pieces}) WHERE ${every([isShown(plan), ...tagConditions(plan.tagFilters)])}`;
}

/** With one row more than there may be values. */
function limited({ most }: SliceReading, select: Sql): Sql {
  return sql`${select} LIMIT ${integer(most + 1)} FORMAT Native`;
}
