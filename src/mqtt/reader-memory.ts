/** What a client has in its socket without being behind. */
const behindBytes = 64 * 1024;

/** What waits for all readers together: in the queues of sessions, and in sockets. */
export class ReaderMemory {
  readonly #limit: number;
  #queued = 0;
  /** As it was counted last, and what was sent since. */
  #inSockets = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** A queue takes bytes; false where there is no room for them. */
  queue(bytes: number): boolean {
    if (this.#queued + this.#inSockets + bytes > this.#limit) return false;
    this.#queued += bytes;
    return true;
  }

  /** They wait no more. */
  unqueue(bytes: number): void {
    this.#queued -= bytes;
  }

  /** Whether a reader may be sent more. Those that are not behind always may. */
  maySend(inSocket: number): boolean {
    return inSocket <= behindBytes || this.#queued + this.#inSockets <= this.#limit;
  }

  sent(bytes: number): void {
    this.#inSockets += bytes;
  }

  /** So much is in all sockets now. */
  counted(inSockets: number): void {
    this.#inSockets = inSockets;
  }
}
