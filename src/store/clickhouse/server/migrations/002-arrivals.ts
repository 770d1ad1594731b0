import { createTable, distributed, engine, type Migration, type Topology } from '../schema.ts';

/**
 * Parts versions from times of arrival. Nodes of the release before may go on beside: they do not know the table, and
 * what it does not tell of came when its version says.
 */
export const arrivals: Migration = {
  number: 2,
  name: 'arrivals',
  statements: (topology) => [table(topology), ...distributed(topology, 'arrivals')],
};

/**
 * When changes came (ns since the Unix epoch) whose versions lead the time; it is empty where no clock was ever ahead.
 * What is told is when `created`, `touched`, the later of `changed` and `closed`, and `removed` of a row of `streams`
 * came, each of one version: of another one it says nothing.
 */
function table(topology: Topology): string {
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
