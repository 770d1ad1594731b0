import type { RowBlock } from '../row-block.ts';
import type { StreamKey } from '../store.ts';

export interface RowsOfStream {
  readonly stream: StreamKey;
  /** Ascending; undefined: all rows of the block. */
  readonly rows: Uint32Array | undefined;
}

/** The rows of each stream of a block, in the order of its streams. */
export function rowsOfStreams({ count, streams, streamIndex }: RowBlock): RowsOfStream[] {
  if (count === 0) return [];
  if (streamIndex === undefined) return [{ stream: streams[0]!, rows: undefined }];
  const counts = new Map<number, number>();
  for (let row = 0; row < count; row++)
    counts.set(streamIndex[row]!, (counts.get(streamIndex[row]!) ?? 0) + 1);
  if (counts.size === 1) return [{ stream: streams[streamIndex[0]!]!, rows: undefined }];
  const found = new Map<number, { readonly rows: Uint32Array; length: number }>();
  for (const place of [...counts.keys()].sort((a, b) => a - b))
    found.set(place, { rows: new Uint32Array(counts.get(place)!), length: 0 });
  for (let row = 0; row < count; row++) {
    const ofStream = found.get(streamIndex[row]!)!;
    ofStream.rows[ofStream.length++] = row;
  }
  return [...found].map(([place, { rows }]) => ({ stream: streams[place]!, rows }));
}
