import type { Source } from '../../live/live-event.ts';

/**
 * A message to clients: one object for all that get the same, in the queues of all of them. It is made in slices of time,
 * so it may be in a queue before it has bytes; those behind it wait.
 */
export interface OutgoingMessage {
  /** Undefined while it is made. */
  bytes: Uint8Array | undefined;
  /** What it is made of, while it is made. */
  readonly source: Source | undefined;
  /** Bytes that it will have, about. */
  readonly expectedBytes: number;
  /** Called once it has bytes. */
  readonly whenMade: Set<() => void> | undefined;
  /** The later a message came to be, the larger. */
  readonly order: number;
  /** Queues that have it. */
  holders: number;
  /** It alone as a whole frame of a WebSocket, for all who get it so; `bytes` is a part of that. */
  frame: Uint8Array | undefined;
  /** The frame of several messages that it began last: readers side by side get the same. It goes as soon as no queue holds the frame. */
  joined: JoinedFrame | undefined;
  /** Of such a frame: the message that it begins with, as long as a queue holds that. */
  first: OutgoingMessage | undefined;
}

/** The frame of a WebSocket that has several messages, one after the other. */
export interface JoinedFrame {
  /** The orders of the messages: a frame must not keep what nobody counts. */
  readonly orders: readonly number[];
  readonly frame: MadeMessage;
}

export type MadeMessage = OutgoingMessage & { bytes: Uint8Array };

/** One that is still to get its bytes. */
export interface UnmadeMessage extends OutgoingMessage {
  source: Source | undefined;
  readonly whenMade: Set<() => void>;
}

let next = 0;

/** @param order that of the oldest message in it; its own where absent */
export function outgoingMessage(bytes: Uint8Array, order = next++): MadeMessage {
  return {
    bytes,
    source: undefined,
    expectedBytes: bytes.length,
    whenMade: undefined,
    order,
    holders: 0,
    frame: undefined,
    joined: undefined,
    first: undefined,
  };
}

export function unmadeMessage(source: Source, expectedBytes = source.bytes): UnmadeMessage {
  return {
    bytes: undefined,
    source,
    expectedBytes,
    whenMade: new Set(),
    order: next++,
    holders: 0,
    frame: undefined,
    joined: undefined,
    first: undefined,
  };
}

/** Remembers the frame that has these messages, for who reads beside. */
export function joinFrame(messages: readonly MadeMessage[], bytes: Uint8Array): MadeMessage {
  const first = messages[0]!;
  if (first.joined !== undefined) first.joined.frame.first = undefined;
  const frame = outgoingMessage(bytes, first.order);
  frame.frame = bytes;
  frame.first = first;
  first.joined = { orders: messages.map(({ order }) => order), frame };
  return frame;
}

/** No queue holds the message any more: neither a frame nor its first message keeps the other. */
export function forgetFrame(message: OutgoingMessage): void {
  const { joined, first } = message;
  message.joined = undefined;
  message.first = undefined;
  if (joined !== undefined) joined.frame.first = undefined;
  if (first !== undefined) first.joined = undefined;
}

/** Returns the bytes that a message takes in a queue; an estimate, while it is made. */
export function sizeOf({ bytes, expectedBytes }: OutgoingMessage): number {
  return bytes?.length ?? expectedBytes;
}
