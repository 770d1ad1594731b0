import { compileTagFilters } from '../../../query/tag-predicate.ts';
import { every, integer, join, print, type Sql, sql } from '../server/sql.ts';
import { reaching, type SeriesRange, windowNumbers } from '../server/window-sql.ts';
import { readNative } from './native-answer.ts';
import type { RunContext, SliceReading } from './run-context.ts';
import { type Kept, ofParameters, streamsInScope, timesOf } from './selection-sql.ts';
import type { Slice } from './slice.ts';
import { type Alike, asksTexts, sliceBuilder } from './slice-builder.ts';
import { windowAdder } from './stored-windows.ts';
import { tagConditions } from './tag-sql.ts';

/**
 * Values of few series, from windows as they stand in the table: what overlaps, is deleted, hidden or outside of the times is
 * found out here. A short read pays for its statements, so there are two of the simplest kind side by side: the windows, and
 * a look at the streams and whether `samples` has something of them, which is a third statement then.
 *
 * @returns undefined where they are more than `most`
 */
export async function readWindows(
  { plan, kept, alike, most, bytesAllowed, memory }: SliceReading,
  { clickhouse, options, countRows }: RunContext,
): Promise<Slice | undefined> {
  const builder = sliceBuilder(plan.parameters, alike, memory);
  const wanted = {
    fromOf: keptFrom(plan.from, kept),
    to: plan.to,
    tags: compileTagFilters(plan.tagFilters),
  };
  const add = windowAdder(builder.draft, plan.parameters, alike, wanted, memory);
  // Of a few rows it takes more to choose what is read first than to read all.
  const settings = { ...options.settings, optimize_move_to_prewhere: 0 } as const;

  /** Whether all of it is there. */
  async function read(statement: Sql): Promise<boolean> {
    const chunks = clickhouse.stream(print(statement), { ...options, settings });
    // Deletes are rows without values: of more rows than that the statement gives some.
    let rows = 0;
    for await (const block of readNative(chunks, memory)) {
      countRows(block.rows);
      add(block);
      rows += block.rows;
      if (Math.max(rows, builder.values()) > most || builder.textBytes() > bytesAllowed) return false;
    }
    return true;
  }

  const looking = clickhouse.rows<LookRow>(print(lookAt(plan)), options);
  looking.catch(() => undefined); // It is waited for below, if it still matters.
  if (!(await read(selectWindows(plan, kept, alike, most + 1)))) return undefined;
  const look = await looking;
  if (look.some(([table]) => table === 'samples')) {
    if (!(await read(selectSamples(plan, kept, alike, most + 1)))) return undefined;
  }
  return withoutStreams(builder.build(), hiddenOf(look));
}

/** From when on values of a folded topic are wanted. */
function keptFrom(from: bigint, { times }: Kept): (topic: string) => bigint {
  if (times === undefined) return () => from;
  return (topic) => {
    const oldest = times.topics.get(topic) ?? times.others;
    return oldest > from ? oldest : from;
  };
}

/** What a part of `streams` says of a stream; of `samples`, that there is something. */
type LookRow = [
  table: 'streams' | 'samples',
  topic: string,
  stream: string,
  version: string,
  hidden: number,
  touched: string,
  removed: string,
];

/** The states of a plan's streams as they stand in the parts of the table: to merge them would take most of the statement. */
function lookAt(plan: SliceReading['plan']): Sql {
  const inScope = streamsInScope(plan);
  return sql`SELECT 'streams', topic, stream, toUInt64(tupleElement(hidden, 'version')), toUInt8(tupleElement(hidden, 'hidden')), toUInt64(touched), toUInt64(removed)
FROM streams WHERE ${every(inScope)}
UNION ALL (SELECT 'samples', '', '', 0, 0, 0, 0 FROM samples WHERE ${every([...inScope, ofParameters(plan.parameters)])} LIMIT 1)`;
}

/** The streams that show nowhere (`catalog/visibility.ts`), as `nameOf` names them. */
function hiddenOf(look: readonly LookRow[]): ReadonlySet<string> {
  const states = new Map<string, { version: bigint; hidden: number; touched: bigint; removed: bigint }>();
  for (const [table, topic, stream, ...texts] of look) {
    if (table === 'samples') continue;
    const [version, hidden, touched, removed] = [
      BigInt(texts[0]),
      texts[1],
      BigInt(texts[2]),
      BigInt(texts[3]),
    ];
    const name = nameOf(topic, stream);
    const state = states.get(name) ?? { version: -1n, hidden: 0, touched: 0n, removed: 0n };
    if (version > state.version || (version === state.version && hidden > state.hidden))
      Object.assign(state, { version, hidden });
    if (touched > state.touched) state.touched = touched;
    if (removed > state.removed) state.removed = removed;
    states.set(name, state);
  }
  const isShown = ({
    version,
    hidden,
    touched,
    removed,
  }: {
    version: bigint;
    hidden: number;
    touched: bigint;
    removed: bigint;
  }) => touched > removed && !(hidden === 1 && version > touched);
  return new Set([...states].filter(([, state]) => !isShown(state)).map(([name]) => name));
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
    },
  };
}

function rangeOf(plan: SliceReading['plan'], kept: Kept): SeriesRange {
  return { where: [...streamsInScope(plan), ofParameters(plan.parameters)], ...timesOf(plan, kept) };
}

/** The rows of `windows` in a range as they stand; the columns that `windowAdder` takes. */
function selectWindows(plan: SliceReading['plan'], kept: Kept, alike: Alike, most: number): Sql {
  const hasTexts = asksTexts(plan.parameters);
  // Numbers have no texts, and texts no numbers; where both are asked for, values have a place in both.
  const asLong = (values: Sql) => (hasTexts ? sql`arrayResize(${values}, length(times))` : values);
  const range = rangeOf(plan, kept);
  // A window may have more texts than memory holds: those outside of the range come empty.
  const texts = sql`if(first >= ${range.from} AND last <= ${range.to}, ${asLong(sql`texts`)},
    arrayMap((text, time) -> if(time BETWEEN ${range.from} AND ${range.to}, text, ''), ${asLong(sql`texts`)}, times))`;
  const columns = [
    sql`times`,
    asLong(windowNumbers),
    sql`pieces.tags`,
    sql`pieces.first`,
    sql`pieces.last`,
    sql`pieces.version`,
    sql`pieces.count`,
    ...seriesOf(alike),
    ...(hasTexts ? [texts] : []),
  ];
  const where = reaching(range);
  const tagged = tagConditions(plan.tagFilters);
  if (tagged.length > 0) where.push(sql`arrayExists(tags -> ${every(tagged)}, pieces.tags)`);
  return sql`SELECT ${join(columns)} FROM windows WHERE ${every(where)} LIMIT ${integer(most)} FORMAT Native`;
}

/** Each row of `samples` as a window of one value. */
function selectSamples(plan: SliceReading['plan'], kept: Kept, alike: Alike, most: number): Sql {
  const { where, from, to } = rangeOf(plan, kept);
  const columns = [
    sql`[timestamp]`,
    sql`[number]`,
    sql`[CAST(tags, 'String')]`,
    sql`[timestamp]`,
    sql`[timestamp]`,
    sql`[version]`,
    sql`[toUInt32(1)]`,
    ...seriesOf(alike),
    ...(asksTexts(plan.parameters) ? [sql`[text]`] : []),
  ];
  const conditions = [...where, sql`timestamp BETWEEN ${from} AND ${to}`, ...tagConditions(plan.tagFilters)];
  return sql`SELECT ${join(columns)} FROM samples WHERE ${every(conditions)} LIMIT ${integer(most)} FORMAT Native`;
}

function seriesOf(alike: Alike): Sql[] {
  return [
    sql`parameter`,
    ...(alike.topic === undefined ? [sql`topic`] : []),
    ...(alike.streamId === undefined ? [sql`stream`] : []),
    ...(alike.kind === undefined ? [sql`CAST(kind, 'Int8')`] : []),
  ];
}
