import { kindType } from '../kinds.ts';
import {
  createTable,
  deduplication,
  distributed,
  engine,
  localTable,
  type Migration,
  onCluster,
  type Topology,
} from '../schema.ts';

/** The tables as docs/decisions/009-clickhouse-store.md describes them. */
export const tables: Migration = {
  number: 1,
  name: 'tables',
  statements: (topology) => [
    samples(topology),
    ...distributed(topology, 'samples'),
    streams(topology),
    ...distributed(topology, 'streams'),
    streamTouches(topology),
    definitions(topology),
    ...distributed(topology, 'definitions'),
    topics(topology),
    tokens(topology),
    workspaces(topology),
  ],
};

/**
 * One row per value. `topic` is folded to lower case: a topic's identity. `tags` is the canonical text of a tag set
 * (a JSON array of pairs). `text` holds the bytes of strings, events and binaries. Times are ns since the Unix epoch;
 * a partition is 30 days. `retention` (ns, 0 = for ever) is that of the topic; seconds are clamped to what a DateTime
 * can hold (1970 to 2106), so that no time is taken for another; 0 would mean that a row has no TTL.
 */
function samples(topology: Topology): string {
  return `${createTable(topology, 'samples')} (
  workspace LowCardinality(String),
  topic LowCardinality(String),
  stream LowCardinality(String),
  parameter LowCardinality(String),
  kind ${kindType},
  timestamp Int64 CODEC(Delta, ZSTD(1)),
  tags LowCardinality(String) DEFAULT '[]',
  number Float64 CODEC(ZSTD(1)),
  text String CODEC(ZSTD(1)),
  version UInt64 CODEC(Delta, ZSTD(1)),
  retention Int64 CODEC(Delta, ZSTD(1)),
  PROJECTION extents (
    SELECT workspace, topic, stream, parameter, kind,
      min(timestamp), max(timestamp), max(version), count(), sum(length(text))
    GROUP BY workspace, topic, stream, parameter, kind
  )
)
ENGINE = ${engine(topology, 'samples', 'Replacing', 'version')}
PARTITION BY intDiv(timestamp, 2592000000000000)
ORDER BY (workspace, topic, stream, parameter, kind, timestamp, tags)
TTL toDateTime(greatest(1, least(4294967295, intDiv(timestamp, 1000000000) + intDiv(retention, 1000000000)))) DELETE WHERE retention > 0
SETTINGS ${deduplication(topology)}, deduplicate_merge_projection_mode = 'rebuild', lightweight_mutation_projection_mode = 'rebuild'`;
}

/**
 * What is known of a stream besides its values; every column is a state that merges by itself, the latest winning.
 * Versions are ns since the Unix epoch:
 * `created` and `touched` the first and last write, `changed` the last change that is no write (a range delete),
 * `removed` the last removal for good: what is not newer than it does not count. Of a stream that was removed and not
 * written to again a row is left for a day at least: a node that starts finishes removals that were interrupted.
 */
function streams(topology: Topology): string {
  return `${createTable(topology, 'streams')} (
  workspace LowCardinality(String),
  topic LowCardinality(String),
  stream String,
  created SimpleAggregateFunction(min, UInt64) DEFAULT 18446744073709551615,
  touched SimpleAggregateFunction(max, UInt64),
  changed SimpleAggregateFunction(max, UInt64),
  removed SimpleAggregateFunction(max, UInt64),
  closed SimpleAggregateFunction(max, Tuple(version UInt64, end_type String)),
  hidden SimpleAggregateFunction(max, Tuple(version UInt64, hidden UInt8)),
  properties SimpleAggregateFunction(max, Tuple(
    version UInt64,
    name Nullable(String),
    location Nullable(String),
    metadata Array(Tuple(String, String)),
    parents Array(String),
    time_of_recording Nullable(Int64)
  ))
)
ENGINE = ${engine(topology, 'streams', 'Aggregating')}
ORDER BY (workspace, topic, stream)`;
}

/** Every insert of values brings its streams into being and opens them, in the same statement. */
function streamTouches(topology: Topology): string {
  return `CREATE MATERIALIZED VIEW IF NOT EXISTS stream_touches${onCluster(topology)} TO ${localTable(topology, 'streams')}
AS SELECT workspace, topic, stream, min(version) AS created, max(version) AS touched
FROM ${localTable(topology, 'samples')} GROUP BY workspace, topic, stream`;
}

/** Definitions merge field by field: one row per field, `value` its JSON. Each definition has a row for `id`. */
function definitions(topology: Topology): string {
  return `${createTable(topology, 'definitions')} (
  workspace LowCardinality(String),
  topic LowCardinality(String),
  stream String,
  kind Enum8('parameter' = 0, 'event' = 1),
  id String,
  field LowCardinality(String),
  value String,
  version UInt64
)
ENGINE = ${engine(topology, 'definitions', 'Replacing', 'version')}
ORDER BY (workspace, topic, stream, kind, id, field)`;
}

/** `name` is the first spelling; `retention` in ns, 0 = for ever. `removed` as in streams. */
function topics(topology: Topology): string {
  return `${createTable(topology, 'topics')} (
  workspace LowCardinality(String),
  topic String,
  name SimpleAggregateFunction(min, Tuple(version UInt64, name String)),
  retention SimpleAggregateFunction(max, Tuple(version UInt64, age Int64)),
  removed SimpleAggregateFunction(max, UInt64)
)
ENGINE = ${engine(topology, 'topics', 'Aggregating')}
ORDER BY (workspace, topic)`;
}

/** `hash` is SHA-256 of a token, in hex; tokens themselves are nowhere. Times in ms. */
function tokens(topology: Topology): string {
  return `${createTable(topology, 'tokens')} (
  id String,
  hash String,
  workspace String,
  scopes Array(LowCardinality(String)),
  name Nullable(String),
  created Int64,
  expires Nullable(Int64),
  removed UInt8,
  version UInt64
)
ENGINE = ${engine(topology, 'tokens', 'Replacing', 'version')}
ORDER BY id`;
}

function workspaces(topology: Topology): string {
  return `${createTable(topology, 'workspaces')} (
  name String,
  created Int64,
  retention Nullable(Int64),
  max_streams Nullable(Int64),
  max_bytes Nullable(Int64),
  removed UInt8,
  version UInt64
)
ENGINE = ${engine(topology, 'workspaces', 'Replacing', 'version')}
ORDER BY name`;
}
