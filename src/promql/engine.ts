// All that the routes of the query API load with the first query, in one piece of the bundle.
export { labelsThere, seriesThere, valuesThere } from './listing.ts';
export { metricMetadata } from './metric-metadata.ts';
export { formatted, instantQuery, rangeQuery } from './query.ts';
