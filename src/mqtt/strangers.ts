import type { Socket } from 'node:net';
import type { Slices } from '../turns/slices.ts';

/** So many are read on in one turn. */
const readOnAtOnce = 32;

/**
 * Sockets whose clients have not come in. What all of them bring at one time is taken in slices, and so are their ends:
 * the event loop would read up to 64 KiB of each in one turn, however many they are, also of those whose streams are
 * paused. So it is the handles below that are stopped.
 */
export class Strangers {
  readonly #slices: Slices;
  readonly #read = new Set<Socket>();
  /** Those that wait; the one that does for longest is the first. */
  readonly #stopped = new Set<Socket>();

  constructor(slices: Slices) {
    this.#slices = slices;
  }

  add(socket: Socket): void {
    this.#read.add(socket);
    for (const event of heard) socket.on(event, this.#stop);
  }

  /** Its client has come in, or it has closed. */
  remove(socket: Socket): void {
    for (const event of heard) socket.removeListener(event, this.#stop);
    this.#read.delete(socket);
    if (this.#stopped.delete(socket)) readOn(socket);
  }

  /** Something has come from one of them: the others wait where the slice of this turn is used up. */
  readonly #stop = (): void => {
    if (this.#read.size === 0 || !this.#slices.isOver()) return;
    if (this.#stopped.size === 0) this.#slices.later(this.#readOn);
    for (const socket of this.#read) {
      handleOf(socket)?.readStop();
      this.#stopped.add(socket);
    }
    this.#read.clear();
  };

  readonly #readOn = (): void => {
    let count = 0;
    for (const socket of this.#stopped) {
      this.#stopped.delete(socket);
      this.#read.add(socket);
      readOn(socket);
      if (++count === readOnAtOnce) break;
    }
    if (this.#stopped.size > 0) this.#slices.later(this.#readOn);
  };
}

const heard = ['data', 'end', 'error'] as const;

/** Node's own, as its streams use it. */
interface Handle {
  /** Whether the stream wants to read. */
  readonly reading: boolean;
  readStart(): void;
  readStop(): void;
}

function handleOf(socket: Socket): Handle | null | undefined {
  return (socket as Socket & { readonly _handle?: Handle | null })._handle;
}

function readOn(socket: Socket): void {
  const handle = handleOf(socket);
  if (handle?.reading) handle.readStart();
}
