import { createTable, distributed, engine, type Migration, type Topology } from '../schema.ts';
import { windowStatements } from './windows-table.ts';

/** The tables as docs/decisions/009-clickhouse-store.md describes them. */
export const tables: Migration = {
  number: 1,
  name: 'tables',
  statements: (topology) => [
    streams(topology),
    ...distributed(topology, 'streams'),
    arrivals(topology),
    ...distributed(topology, 'arrivals'),
    definitions(topology),
    ...distributed(topology, 'definitions'),
    topics(topology),
    tokens(topology),
    workspaces(topology),
    kept(topology),
    ...(topology.cluster === undefined ? [] : [layout(topology)]),
    ...windowStatements(topology),
  ],
};

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

/**
 * When changes came (ns since the Unix epoch) whose versions lead the time; it is empty where no clock was ever ahead.
 * What is told is when `created`, `touched`, the later of `changed` and `closed`, and `removed` of a row of `streams`
 * came, each of one version: of another one it says nothing.
 */
function arrivals(topology: Topology): string {
  const tuple = 'Tuple(version UInt64, at UInt64)';
  return `${createTable(topology, 'arrivals')} (
  workspace LowCardinality(String),
  topic LowCardinality(String),
  stream String,
  first_at SimpleAggregateFunction(min, ${tuple}),
  last_at SimpleAggregateFunction(max, ${tuple}),
  change_at SimpleAggregateFunction(max, ${tuple}),
  removal_at SimpleAggregateFunction(max, ${tuple})
)
ENGINE = ${engine(topology, 'arrivals', 'Aggregating')}
ORDER BY (workspace, topic, stream)`;
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

/**
 * Documents that workspaces keep. `topic` is folded to lower case and empty where there is none, `topic_name` as it was
 * spelt. `body` is JSON; `updated` in ms since the Unix epoch. Of one that was forgotten a row with `removed` stays.
 */
function kept(topology: Topology): string {
  return `${createTable(topology, 'kept')} (
  workspace LowCardinality(String),
  kind LowCardinality(String),
  topic String,
  id String,
  topic_name String,
  body String CODEC(ZSTD(1)),
  updated Int64,
  removed UInt8,
  version UInt64
)
ENGINE = ${engine(topology, 'kept', 'Replacing', 'version')}
ORDER BY (workspace, kind, topic, id)`;
}

/** What of a cluster must stay as it was when the first rows came (`shards.ts`); there is none on one server. */
function layout(topology: Topology): string {
  return `${createTable(topology, 'layout')} (
  name String,
  value String
)
ENGINE = ${engine(topology, 'layout', 'Replacing')}
ORDER BY (name, value)`;
}
