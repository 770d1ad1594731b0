import { createTable, engine, type Migration } from '../schema.ts';

/** What of a cluster must stay as it was when the first rows came (`shards.ts`); there is none on one server. */
export const layout: Migration = {
  number: 3,
  name: 'layout',
  statements: (topology) =>
    topology.cluster === undefined
      ? []
      : [
          `${createTable(topology, 'layout')} (
  name String,
  value String
)
ENGINE = ${engine(topology, 'layout', 'Replacing')}
ORDER BY (name, value)`,
        ],
};
