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
