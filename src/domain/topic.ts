/** Topics are the same where their names differ in case only (contract, docs/api.md §2). */
export function foldTopic(topic: string): string {
  return topic.toLowerCase();
}
