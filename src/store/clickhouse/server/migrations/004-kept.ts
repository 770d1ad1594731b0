import { createTable, engine, type Migration } from '../schema.ts';

/**
 * Documents that workspaces keep. `topic` is folded to lower case and empty where there is none, `topic_name` as it was
 * spelt. `body` is JSON; `updated` in ms since the Unix epoch. Of one that was forgotten a row with `removed` stays.
 */
export const kept: Migration = {
  number: 4,
  name: 'kept',
  statements: (topology) => [
    `${createTable(topology, 'kept')} (
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
ORDER BY (workspace, kind, topic, id)`,
  ],
};
