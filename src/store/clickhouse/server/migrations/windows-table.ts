import { kindType } from '../kinds.ts';
import {
  createTable,
  deduplication,
  distributed,
  engine,
  localTable,
  onCluster,
  type Topology,
} from '../schema.ts';
import { print } from '../sql.ts';
import { windowNumbers } from '../window-sql.ts';

/** Values by series and window of time (docs/decisions/009-clickhouse-store.md), and what reads them. */
export function windowStatements(topology: Topology): readonly string[] {
  return [table(topology), ...distributed(topology, 'windows'), windowTouches(topology), readings(topology)];
}

/**
 * What has expired leaves the disk row by row; what of a window is deleted may stand in other rows than the deletes. So rows
 * with deletes stay until they are tidied: a longer retention brings back what is still there, and must not bring back that.
 */
const windowTtl =
  'toDateTime(greatest(1, least(4294967295, intDiv(last, 1000000000) + intDiv(retention, 1000000000)))) DELETE WHERE retention < 9223372036854775807 AND deleted = 0';

/**
 * One row per series and window: what several inserts wrote to one is joined by merges. The window begins at `window` (ns
 * since the Unix epoch) and has the length of its `level` (`../window-lengths.ts`); the writer chooses the level
 * (`insert/window-levels.ts`). `first` and `last` are times of values that were written, deleted ones included; `count` and
 * `bytes` (8 a value and those of texts) are sums of them. `version` is the newest of the values, `deleted` a version
 * of when the newest range delete came to the window (0 = none), `retention` that of the topic (ns, the largest number = for ever).
 *
 * `times` has the values' times, `numbers`, `scaled` (numbers, as the level says) or `texts` (strings, binaries, events) the values,
 * in the same order: piece after piece. A piece is what one request wrote of one tag set (its canonical text, a JSON array of pairs): `count` values whose
 * times rise strictly from `first` to `last`. A piece without values (`count` = 0) is a range delete: values of its tag
 * set from `first` to `last` count no more where their version is not above its own. A row may be a delete alone.
 *
 * `summed` to `newest` tell of numbers without them. Where `summed` is `count`, `reals` of the values are no NaN, and `sums`,
 * added up exactly, is their sum; `least` and `greatest` are of these. `oldest` and `newest` have the number of the first and
 * of the last time, of several at one time the smaller or the larger.
 *
 * Rows are large, so few of them share a mark: of small columns some hundred bytes. Of blocks larger than 4 KB a short read
 * would unpack a hundred times as much as it wants. The codec of numbers is one that every server has; `migrate.ts` names a better one where windows are written.
 */
function table(topology: Topology): string {
  return `${createTable(topology, 'windows')} (
  workspace LowCardinality(String),
  topic LowCardinality(String),
  stream LowCardinality(String),
  parameter LowCardinality(String),
  kind ${kindType},
  level UInt8,
  window Int64 CODEC(DoubleDelta, ZSTD(1)),
  first SimpleAggregateFunction(min, Int64) CODEC(DoubleDelta, ZSTD(1)),
  last SimpleAggregateFunction(max, Int64) CODEC(DoubleDelta, ZSTD(1)),
  count SimpleAggregateFunction(sum, UInt64) CODEC(ZSTD(1)),
  bytes SimpleAggregateFunction(sum, UInt64) CODEC(ZSTD(1)),
  version SimpleAggregateFunction(max, UInt64) CODEC(Delta, ZSTD(1)),
  deleted SimpleAggregateFunction(max, UInt64) CODEC(ZSTD(1)),
  retention SimpleAggregateFunction(max, Int64) DEFAULT 9223372036854775807 CODEC(ZSTD(1)),
  pieces SimpleAggregateFunction(groupArrayArray, Array(Tuple(
    tags String, first Int64, last Int64, version UInt64, count UInt32
  ))) CODEC(ZSTD(1)),
  times SimpleAggregateFunction(groupArrayArray, Array(Int64)) CODEC(DoubleDelta, ZSTD(1)),
  numbers SimpleAggregateFunction(groupArrayArray, Array(Float64)) CODEC(ZSTD(1)),
  scaled SimpleAggregateFunction(groupArrayArray, Array(Int64)) CODEC(Delta, T64('bit'), ZSTD(1)),
  texts SimpleAggregateFunction(groupArrayArray, Array(String)) CODEC(ZSTD(1)),
  summed SimpleAggregateFunction(sum, UInt64) CODEC(ZSTD(1)),
  reals SimpleAggregateFunction(sum, UInt64) CODEC(ZSTD(1)),
  sums SimpleAggregateFunction(groupArrayArray, Array(Float64)) CODEC(ZSTD(1)),
  least SimpleAggregateFunction(min, Float64) DEFAULT inf CODEC(ZSTD(1)),
  greatest SimpleAggregateFunction(max, Float64) DEFAULT -inf CODEC(ZSTD(1)),
  oldest SimpleAggregateFunction(min, Tuple(time Int64, number Float64)) DEFAULT (9223372036854775807, 0.) CODEC(ZSTD(1)),
  newest SimpleAggregateFunction(max, Tuple(time Int64, number Float64)) DEFAULT (-9223372036854775808, 0.) CODEC(ZSTD(1)),
  INDEX bounds (first, last) TYPE minmax GRANULARITY 1,
  PROJECTION extents (
    SELECT workspace, topic, stream, parameter, kind,
      min(first), max(last), max(version), max(deleted), sum(count), sum(bytes)
    GROUP BY workspace, topic, stream, parameter, kind
  )
)
ENGINE = ${engine(topology, 'windows', 'Aggregating')}
PARTITION BY intDiv(window, 2592000000000000)
ORDER BY (workspace, topic, stream, parameter, kind, level, window)
TTL ${windowTtl}
SETTINGS index_granularity = 64, min_compress_block_size = 4096, ${deduplication(topology)}, deduplicate_merge_projection_mode = 'rebuild', lightweight_mutation_projection_mode = 'rebuild'`;
}

/** Every insert of values brings its streams into being and opens them, in the same statement; a range delete is no write. */
function windowTouches(topology: Topology): string {
  return `CREATE MATERIALIZED VIEW IF NOT EXISTS stream_touches${onCluster(topology)} TO ${localTable(topology, 'streams')}
AS SELECT workspace, topic, stream,
  min(arrayMin(piece -> piece.version, pieces)) AS created, max(version) AS touched
FROM ${localTable(topology, 'windows')} WHERE count > 0 GROUP BY workspace, topic, stream`;
}

/**
 * For people who use SQL: each value once, with a time and tags that ClickHouse's own functions take. Values of one time and
 * tag set are told apart by version, and deleted ones are left out.
 */
function readings(topology: Topology): string {
  const series = 'workspace, topic, stream, parameter, kind';
  const ofPieces = (field: string) =>
    `arrayFlatten(arrayMap(piece -> arrayWithConstant(piece.count, piece.${field}), written))`;
  return `CREATE VIEW IF NOT EXISTS readings${onCluster(topology)} AS
SELECT
  ${series},
  fromUnixTimestamp64Nano(timestamp, 'UTC') AS time,
  timestamp,
  CAST(JSONExtract(toString(tag_set), 'Array(Tuple(String, String))'), 'Map(String, String)') AS tags,
  if(kind = 'numeric', value, NULL) AS number,
  if(kind = 'numeric', NULL, bytes) AS text
FROM (
  SELECT ${series}, one_time AS timestamp, tag_set, argMax(one_number, one_version) AS value, argMax(one_text, one_version) AS bytes
  FROM (
    SELECT ${series}, groupArrayArray(pieces) AS written, groupArrayArray(times) AS all_times,
      arrayResize(groupArrayArray(${print(windowNumbers).text}), length(all_times)) AS all_numbers,
      arrayResize(groupArrayArray(texts), length(all_times)) AS all_texts,
      arrayFilter(piece -> piece.count = 0, written) AS deletes
    FROM windows GROUP BY ${series}, level, window
  )
  ARRAY JOIN all_times AS one_time, all_numbers AS one_number, all_texts AS one_text,
    ${ofPieces('tags')} AS tag_set, ${ofPieces('version')} AS one_version
  WHERE NOT arrayExists(taken -> taken.tags = tag_set AND one_time BETWEEN taken.first AND taken.last
    AND one_version <= taken.version, deletes)
  GROUP BY ${series}, timestamp, tag_set
)`;
}
