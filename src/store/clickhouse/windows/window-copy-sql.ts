import { minTimestamp } from '../../../domain/timestamp.ts';
import { namedStreams } from '../catalog/stream-scope.ts';
import { integer, join, param, type Sql, sql } from '../server/sql.ts';
import { windowLengths } from '../server/window-lengths.ts';
import { sumsOf } from './window-sums-sql.ts';

/** Values of `samples` that are copied by one statement. */
export interface CopySlice {
  readonly workspace: string;
  readonly streams: readonly { readonly topic: string; readonly stream: string }[];
  /** The number of a partition of `samples`. */
  readonly partition: number;
  /** Both in ns, both included. */
  readonly from: bigint;
  readonly to: bigint;
}

/** ns of a partition (`server/migrations/001-tables.ts`). */
const partitionNs = sql`2592000000000000`;

/** What of a partition is copied: all values but events, up to a version. */
export function copiedOf(partition: number, version: bigint): Sql {
  return sql`intDiv(timestamp, ${partitionNs}) = ${param(partition, 'Int64')} AND kind != 'event' AND version <= ${param(version, 'UInt64')}`;
}

/** The numbers of the partitions that have such values. */
export function partitionsToCopy(version: bigint): Sql {
  return sql`SELECT DISTINCT intDiv(timestamp, ${partitionNs}) AS partition FROM samples
WHERE kind != 'event' AND version <= ${param(version, 'UInt64')} ORDER BY partition`;
}

/** Workspace, topic, stream, how many values, the bytes of their texts, the first and the last time, by workspace. */
export function streamsToCopy(partition: number, version: bigint): Sql {
  return sql`SELECT workspace, topic, stream, count(), sum(length(text)), min(timestamp), max(timestamp) FROM samples
WHERE ${copiedOf(partition, version)} GROUP BY workspace, topic, stream ORDER BY workspace, topic, stream`;
}

export function ofSlice({ workspace, streams }: CopySlice): Sql {
  return sql`workspace = ${param(workspace, 'String')} AND ${namedStreams(streams)}`;
}

const lengths = sql`CAST([${join(windowLengths.map(integer))}], 'Array(Int64)')`;
const hour = integer(windowLengths.indexOf(3_600_000_000_000n));

/** When the window with a time begins, but not before all times. */
function windowOf(time: Sql, level: Sql): Sql {
  const past = sql`positiveModulo(${time}, ${lengths}[${level} + 1])`;
  const oldest = sql`${param(minTimestamp, 'Int64')}`;
  return sql`if(${time} < ${oldest} + ${past}, ${oldest}, ${time} - ${past})`;
}

/** The level for values that stand so many ns apart and have texts of so many bytes: of an hour where the gap is not known. */
function levelFor(gap: Sql, bytes: Sql): Sql {
  const wanted = sql`least(256, greatest(1, 1048576 / ${bytes}))`;
  const long = sql`arrayFirstIndex(length -> length >= ${wanted} * ${gap}, ${lengths})`;
  return sql`toUInt8(multiIf(${gap} = 0, ${hour}, ${long} = 0, length(${lengths}) - 1, ${long} - 1))`;
}

/**
 * Copies a slice. Values keep their versions: a piece has those of one version and tag set, as `windows` wants it. The level is
 * that of `insert/window-levels.ts` for the density of a series in the slice.
 */
export function copySlice(slice: CopySlice, version: bigint): Sql {
  const values = sql`SELECT topic, stream, parameter, kind, timestamp, tags, number, text, version, retention FROM samples FINAL
    WHERE ${ofSlice(slice)} AND ${copiedOf(slice.partition, version)}
      AND timestamp BETWEEN ${param(slice.from, 'Int64')} AND ${param(slice.to, 'Int64')}`;
  const sums = sumsOf(sql`groupArrayArray(values.1)`, sql`groupArrayArray(values.2)`);
  const forEver = sql`9223372036854775807`;
  return sql`INSERT INTO windows (workspace, topic, stream, parameter, kind, level, window, first, last, count, bytes, version, retention, pieces, times, numbers, texts, ${join(sums.map(([column]) => column))})
SELECT ${param(slice.workspace, 'String')}, topic, stream, parameter, kind, level, window,
  min(values[1].1), max(values[-1].1), sum(length(values)), 8 * sum(length(values)) + sum(text_bytes), max(version), max(kept),
  groupArray((tags, values[1].1, values[-1].1, version, length(values))),
  groupArrayArray(values.1),
  if(kind = 'numeric', groupArrayArray(values.2), []),
  if(kind = 'numeric', [], groupArrayArray(values.3)),
  ${join(sums.map(([, value]) => value))}
FROM (
  SELECT topic, stream, parameter, kind, level, toString(tags) AS tags, version,
    ${windowOf(sql`timestamp`, sql`level`)} AS window,
    arraySort(value -> value.1, groupArray((timestamp, number, text))) AS values,
    sum(length(text)) AS text_bytes, max(if(retention = 0, ${forEver}, retention)) AS kept
  FROM (${values}) AS of_slice
  INNER JOIN (
    SELECT topic, stream, parameter, kind, count() AS found,
      (toFloat64(max(timestamp)) - toFloat64(min(timestamp))) / greatest(1, found - 1) AS gap,
      ${levelFor(sql`gap`, sql`avg(length(text))`)} AS level
    FROM (${values}) GROUP BY topic, stream, parameter, kind
  ) AS levels USING (topic, stream, parameter, kind)
  GROUP BY topic, stream, parameter, kind, level, window, tags, version
)
GROUP BY topic, stream, parameter, kind, level, window`;
}
