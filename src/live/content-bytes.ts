import type { EventRow } from '../domain/event-data.ts';
import type { Rows } from '../domain/parameter-data.ts';

/** An event, or a definition, as objects in memory, about. */
export const objectBytes = 200;

/** Estimates the bytes that an event takes in memory. */
export function bytesOfEvent({ value }: EventRow): number {
  return value.length * 2 + objectBytes;
}

/** Estimates the bytes that the wanted columns of rows take in memory, with times and tags. */
export function bytesOfRows(all: readonly Rows[], isWanted: (name: string) => boolean): number {
  let bytes = 0;
  for (const { offsets, tagIndex, columns } of all) {
    bytes += offsets.byteLength + (tagIndex?.byteLength ?? 0);
    for (const column of columns) {
      if (!isWanted(column.name)) continue;
      bytes +=
        'values' in column ? column.values.byteLength : column.bytes.byteLength + column.ends.byteLength;
    }
  }
  return bytes;
}
