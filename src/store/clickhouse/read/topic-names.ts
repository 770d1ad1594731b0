/** Topics as they were first spelt, by their folded names. */
export type TopicNames = (topics: readonly string[]) => Promise<string[]>;

/**
 * Names from memory; where one is not there yet, another node has made the topic just now, and is asked for it once.
 */
export function topicNames(
  nameOf: (topic: string) => string | undefined,
  refresh: () => Promise<void> | undefined,
): TopicNames {
  return async (topics) => {
    if (topics.some((topic) => nameOf(topic) === undefined)) await refresh();
    return topics.map((topic) => nameOf(topic) ?? topic);
  };
}
