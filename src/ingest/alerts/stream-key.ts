/** Returns a key that tells the streams of a workspace apart. */
export function streamKey(topic: string, streamId: string): string {
  return `${topic}\n${streamId}`;
}
