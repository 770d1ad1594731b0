import type { ShownPart } from './shown-query.ts';

/** Whether each query is of a topic of its own. */
export function areOfTopics(parts: readonly ShownPart[]): boolean {
  return new Set(parts.map(({ query }) => query.topic?.toLowerCase())).size === parts.length;
}

/**
 * What the file of the rows of a query is called, without the end: by its first run, by its lap where it has one, and by its
 * topic beside files of others.
 */
export function fileNameOf({ query, lap }: ShownPart, all: readonly ShownPart[]): string {
  const { topic, streamIds: [first = 'rows'] = [] } = query;
  const name = lap === undefined ? first : `${first}-lap-${lap}`;
  return all.some((other) => other.query.topic !== topic) ? `${topic}-${name}` : name;
}
