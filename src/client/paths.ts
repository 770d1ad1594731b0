/** Where calls of a topic and of a stream are. */
export function topicPath(topic: string): string {
  return `/topics/${encodeURIComponent(topic)}`;
}

export function streamPath(topic: string, streamId: string): string {
  return `${topicPath(topic)}/streams/${encodeURIComponent(streamId)}`;
}
