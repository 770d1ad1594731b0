import type { ParameterDataQuery } from '../../../src/client/client.ts';

/** Whether each query is of a topic of its own. */
export function areOfTopics(queries: readonly ParameterDataQuery[]): boolean {
  return new Set(queries.map(({ topic = '' }) => topic.toLowerCase())).size === queries.length;
}

/** What the file of the rows of a query is called, without the end: by its first run, and by its topic beside files of others. */
export function fileNameOf(
  { topic, streamIds = [] }: ParameterDataQuery,
  all: readonly ParameterDataQuery[],
): string {
  const [first = 'rows'] = streamIds;
  return all.some((other) => other.topic !== topic) ? `${topic}-${first}` : first;
}
