import { localTable, mutableTable, onCluster, type TableName, type Topology } from '../schema.ts';
import type { Migration } from './migration.ts';

/**
 * Parts versions from times of arrival. Nodes of the release before may go on beside: what they write leaves the new
 * columns at their defaults, which say that a version is the time at which its change came.
 */
export const arrivals: Migration = {
  number: 2,
  name: 'arrivals',
  statements: (topology) => [
    ...addColumns(topology, 'samples', samplesColumns),
    ...addColumns(topology, 'streams', streamsColumns),
    newestIndex(topology),
    `ALTER TABLE ${mutableTable(topology, 'streams')} MATERIALIZE INDEX newest`,
    streamTouches(topology),
  ],
};

/** How far the version of a value leads the time at which it came (ns): nearly always 0, and then not sent. */
const samplesColumns = ['lead UInt64 CODEC(Delta, ZSTD(1))'];

/**
 * When it came (ns since the Unix epoch) that is told by `created`, `touched`, the later of `changed` and `closed`, and
 * `removed`. One with another version than that says nothing of it.
 */
const streamsColumns = [
  'first_at SimpleAggregateFunction(min, Tuple(version UInt64, at UInt64)) DEFAULT (18446744073709551615, 0)',
  'last_at SimpleAggregateFunction(max, Tuple(version UInt64, at UInt64))',
  'change_at SimpleAggregateFunction(max, Tuple(version UInt64, at UInt64))',
  'removal_at SimpleAggregateFunction(max, Tuple(version UInt64, at UInt64))',
];

/** To the tables that hold rows before those that stand over them. */
function addColumns(topology: Topology, table: TableName, columns: readonly string[]): string[] {
  const added = columns.map((column) => `ADD COLUMN IF NOT EXISTS ${column}`).join(', ');
  return [...new Set([localTable(topology, table), table])].map(
    (one) => `ALTER TABLE ${one}${onCluster(topology)} ${added}`,
  );
}

/** Finds rows that are newer than a version: where there are none it reads none. */
function newestIndex(topology: Topology): string {
  return `ALTER TABLE ${localTable(topology, 'streams')}${onCluster(topology)} ADD INDEX IF NOT EXISTS newest
greatest(touched, changed, removed, tupleElement(closed, 'version'), tupleElement(hidden, 'version'), tupleElement(properties, 'version'))
TYPE minmax GRANULARITY 1`;
}

/** Values of one insert came within a moment, so the lead of any tells when. */
function streamTouches(topology: Topology): string {
  return `ALTER TABLE stream_touches${onCluster(topology)} MODIFY QUERY
SELECT workspace, topic, stream, min(version) AS created, max(version) AS touched,
  (created, created - any(lead)) AS first_at, (touched, touched - any(lead)) AS last_at
FROM ${localTable(topology, 'samples')} GROUP BY workspace, topic, stream`;
}
