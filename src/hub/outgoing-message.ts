import type { Source } from '../live/live-event.ts';

/**
 * A message to clients: one object for all that get the same, in the queues of all of them. It is made in slices of time,
 * so it may be in a queue before it has bytes; those behind it wait.
 */
export interface OutgoingMessage {
  /** Undefined while it is made. */
  readonly bytes: Uint8Array | undefined;
  /** What it is made of, while it is made. */
  readonly source: Source | undefined;
  /** Called once it has bytes. */
  readonly whenMade: Set<() => void> | undefined;
  /** The later a message came to be, the larger. */
  readonly order: number;
  /** Queues that have it. */
  holders: number;
  /** The frame that it began last: readers side by side get the same. */
  joined: JoinedFrame | undefined;
}

/** Messages, one after the other, and the frame of a WebSocket that has them all. */
export interface JoinedFrame {
  readonly messages: readonly OutgoingMessage[];
  readonly frame: MadeMessage;
}

export type MadeMessage = OutgoingMessage & { readonly bytes: Uint8Array };

/** One that is still to get its bytes. */
export interface UnmadeMessage extends OutgoingMessage {
  bytes: Uint8Array | undefined;
  source: Source | undefined;
  readonly whenMade: Set<() => void>;
}

let next = 0;

/** @param order that of the oldest message in it; its own where absent */
export function outgoingMessage(bytes: Uint8Array, order = next++): MadeMessage {
  return { bytes, source: undefined, whenMade: undefined, order, holders: 0, joined: undefined };
}

export function unmadeMessage(source: Source): UnmadeMessage {
  return {
    bytes: undefined,
    source,
    whenMade: new Set(),
    order: next++,
    holders: 0,
    joined: undefined,
  };
}

/** Bytes that it takes in a queue: of what it is made of, while it is made. */
export function sizeOf({ bytes, source }: OutgoingMessage): number {
  return bytes?.length ?? source!.bytes;
}
