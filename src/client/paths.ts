/** Returns the path of the calls of a topic. */
export function topicPath(topic: string): string {
  return `/topics/${encodeURIComponent(topic)}`;
}

export function streamPath(topic: string, streamId: string): string {
  return `${topicPath(topic)}/streams/${encodeURIComponent(streamId)}`;
}
