/** By what streams of a workspace are told apart. */
export function streamKey(topic: string, streamId: string): string {
  return `${topic}\n${streamId}`;
}
