import type { Duplex } from 'node:stream';
import { createSlices } from '../turns/slices.ts';

/** Of the bytes and packets of all clients. */
export const packetSlices = createSlices('mqtt packets');

/**
 * Hands on what a stream brings. Where the bytes of all clients took the slice of this turn, it is read on in a later one: the
 * kernel hands on megabytes of each socket in one turn otherwise.
 *
 * @param isPaused by whoever takes the bytes, who has it go on by himself
 */
export function takeBytes(stream: Duplex, take: (chunk: Buffer) => void, isPaused: () => boolean): void {
  const goOn = (): void => {
    if (!isPaused()) stream.resume();
  };
  stream.on('data', (chunk: Buffer) => {
    take(chunk);
    if (isPaused() || !packetSlices.isOver()) return;
    stream.pause();
    packetSlices.later(goOn);
  });
}

/** Calls `end` when a stream ends or fails, once or more. In slices: the clients of a whole network may leave at once. */
export function takeEnd(stream: Duplex, end: () => void): void {
  const take = (): void => (packetSlices.isOver() ? packetSlices.later(end) : end());
  for (const event of ['error', 'end', 'close']) stream.on(event, take);
}
