/** Memory of aggregating queries for groups, buckets and kept values: of each, and of all at one time. */
export const queryBytes = 256 << 20;
export const allQueriesBytes = 2 * queryBytes;
