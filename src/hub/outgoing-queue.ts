/** Whole messages on their way to one client, bounded in bytes. */
export interface OutgoingQueue {
  /** False, and nothing queued, where the client is too far behind. One message always fits. */
  push(message: Uint8Array): boolean;
  /** The next message, if there is one and it has no more than so many bytes. */
  take(mostBytes?: number): Uint8Array | undefined;
  /** Puts messages that were taken and could not be sent before those that wait. */
  putBack(messages: readonly Uint8Array[]): void;
  clear(): void;
  /** No more messages come; the transport ends when those here have gone. */
  end(): void;
  readonly length: number;
  readonly bytes: number;
  readonly hasEnded: boolean;
}

export function createOutgoingQueue(maxBytes: number): OutgoingQueue {
  let messages: Uint8Array[] = [];
  let first = 0;
  let bytes = 0;
  let hasEnded = false;
  return {
    get length() {
      return messages.length - first;
    },
    get bytes() {
      return bytes;
    },
    get hasEnded() {
      return hasEnded;
    },
    push(message) {
      if (bytes > 0 && bytes + message.length > maxBytes) return false;
      messages.push(message);
      bytes += message.length;
      return true;
    },
    take(mostBytes = Number.POSITIVE_INFINITY) {
      const message = messages[first];
      if (message === undefined || message.length > mostBytes) return undefined;
      bytes -= message.length;
      if (++first === messages.length) {
        messages = [];
        first = 0;
      } else if (first === 1024) {
        messages = messages.slice(first);
        first = 0;
      }
      return message;
    },
    putBack(taken) {
      messages = [...taken, ...messages.slice(first)];
      first = 0;
      for (const message of taken) bytes += message.length;
    },
    clear() {
      messages = [];
      first = 0;
      bytes = 0;
    },
    end() {
      hasEnded = true;
    },
  };
}
