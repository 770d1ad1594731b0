/** As much of a stream as it takes to write to it. */
export interface ChunkWriter {
  /** False where it has had enough for now; then `drain` says when to go on. */
  write(chunk: Uint8Array): boolean;
  on(event: 'drain' | 'close', listener: () => void): unknown;
  readonly destroyed: boolean;
}

/** Writes chunks at the pace of the one that takes them, until all are written or it is destroyed. */
export async function writeChunks(
  writer: ChunkWriter,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void = () => undefined,
): Promise<void> {
  let wake = (): void => undefined;
  writer.on('drain', () => wake());
  writer.on('close', () => wake());
  for await (const chunk of chunks) {
    if (writer.destroyed) return;
    onChunk(chunk);
    const mayGoOn = new Promise<void>((resolve) => {
      wake = resolve;
    });
    if (!writer.write(chunk)) await mayGoOn;
  }
}
