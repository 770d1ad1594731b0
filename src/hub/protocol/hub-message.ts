import type { LiveEvent } from '../../live/live-event.ts';
import type { Sequence } from '../../live/sequence.ts';
import type { Steps } from '../../turns/steps.ts';
import type { MemoryShare } from '../../wire/json/json-memory.ts';
import type { Framing } from './message-buffer.ts';

/** What a client sends. Messages without a meaning here (client results, acknowledgements, later types) are `ignored`. */
export type HubMessage = Invocation | { readonly kind: 'ping' | 'close' | 'ignored' };

export interface Invocation {
  readonly kind: 'invocation';
  /** Absent where the client wants no answer, not even an error. */
  readonly invocationId: string | undefined;
  readonly target: string;
  /** At most as many as any method takes. */
  readonly arguments: readonly Argument[];
  /** There are more arguments, which nobody has read: no method takes so many. */
  readonly hasMore: boolean;
  /** The client expects a stream of results, or sends streams of items: neither exists here. */
  readonly streaming: boolean;
}

/** An argument that is not read yet: a fault in it fails the call, never the connection. */
export interface Argument {
  /** Bytes, as the client has sent it. The JSON may be several times as long. */
  readonly length: number;
  /** Bytes of its JSON, where that was prepared or is what the client has sent; else as `length`. */
  readonly jsonLength: number;
  /** The argument as JSON in UTF-8. Throws PitwallErrors for what cannot be said so. */
  json(): Uint8Array;
  /**
   * For one whose JSON takes long to make: begins that, counting its memory. Each step is short and says whether there
   * is more to do; after the last one, or one that throws, `json` gives what came out. Undefined where there is nothing to do.
   */
  prepare?(share: MemoryShare): (() => boolean) | undefined;
}

/** The result of a call: plain data or a list, undefined for none; or the text of its error. */
export type Outcome = { readonly result: unknown } | { readonly error: string };

/** One of the two encodings of messages, as the client of one connection wants it. */
export interface HubProtocol {
  readonly name: 'json' | 'messagepack';
  readonly isBinary: boolean;
  readonly framing: Framing;
  /** Reads one message, a short one in one step. Throws a PitwallError for what is none; the connection ends then. */
  parse(message: Buffer): Steps<HubMessage>;
  completion(invocationId: string, outcome: Outcome): Uint8Array;
  /** Encodes a completion whose result may be long, in steps. */
  listCompletion(invocationId: string, list: Sequence): Steps<Uint8Array>;
  close(error: string | undefined, allowReconnect: boolean): Uint8Array;
  event(event: LiveEvent): Steps<Uint8Array>;
  readonly ping: Uint8Array;
}

/**
 * Bytes of a target or an invocation id as the client writes it: it is read in one step. Real ones have some tens.
 */
export const maxTextBytes = 16 * 1024;

/** How a protocol reads and writes on one connection. */
export interface ProtocolOptions {
  readonly int64AsString: boolean;
  /** Levels of nesting in an argument. */
  readonly maxDepth: number;
  /** Bytes of an argument as JSON. */
  readonly maxJsonBytes: number;
  /** Arguments of a call that are read: as many as any method takes. */
  readonly maxArguments: number;
}

export const MessageType = {
  Invocation: 1,
  StreamItem: 2,
  Completion: 3,
  StreamInvocation: 4,
  CancelInvocation: 5,
  Ping: 6,
  Close: 7,
} as const;
