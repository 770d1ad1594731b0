import type { Socket } from 'node:net';
import { inNextTurn } from '../turns/rest.ts';

/** So much comes from all of them in one turn before the others wait; a chunk that is put back comes twice. */
const mostOfTurn = 64;
/** So many of those that wait are read on in each turn. */
const readOnAtOnce = 32;

/**
 * Sockets whose clients have not come in. What all of them bring at one time is taken a part in each turn, and so are
 * their ends: the event loop would read up to 64 KiB of each in one turn, however many they are, also of those whose
 * streams are paused. So it is the handles below that are stopped. It goes by numbers and not by time, so that clients
 * come in as fast beside much other work.
 */
export class Strangers {
  readonly #read = new Set<Socket>();
  /** Those that wait; the one that does for longest is the first. */
  readonly #stopped = new Set<Socket>();
  /** What has come in this turn. */
  #came = 0;
  #isTurnAhead = false;

  add(socket: Socket): void {
    this.#read.add(socket);
    for (const event of heard) socket.on(event, this.#hear);
  }

  /** Its client has come in, or it has closed. */
  remove(socket: Socket): void {
    for (const event of heard) socket.removeListener(event, this.#hear);
    this.#read.delete(socket);
    if (this.#stopped.delete(socket)) readOn(socket);
  }

  readonly #hear = (): void => {
    this.#awaitTurn();
    if (++this.#came < mostOfTurn) return;
    for (const socket of this.#read) {
      handleOf(socket)?.readStop();
      this.#stopped.add(socket);
    }
    this.#read.clear();
  };

  #awaitTurn(): void {
    if (this.#isTurnAhead) return;
    this.#isTurnAhead = true;
    inNextTurn(this.#turn);
  }

  readonly #turn = (): void => {
    this.#isTurnAhead = false;
    this.#came = 0;
    let count = 0;
    for (const socket of this.#stopped) {
      this.#stopped.delete(socket);
      this.#read.add(socket);
      readOn(socket);
      if (++count === readOnAtOnce) break;
    }
    if (this.#stopped.size > 0) this.#awaitTurn();
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
