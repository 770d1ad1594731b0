import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * The turns of what comes on each connection: a request begins when the answers of all before it have left, so that
 * what is sent after a write sees it (RFC 9112, section 9.3.2). Reads take turns too, as nothing in a method tells them
 * from writes here. What waits when its connection ends is dropped.
 */
export interface Turns {
  /** Calls `begin` when it is the request's turn. A turn lasts until the answer has left. */
  request(request: IncomingMessage, response: ServerResponse, begin: RequestListener): void;
  /** Whether something has not been answered yet. */
  hasUnanswered(socket: Duplex): boolean;
  /** For a connection that its parser has let go of: gives it away when all is answered. It may come back as a new one. */
  giveAway(socket: Duplex, take: () => void): void;
  /**
   * Nothing that comes from here on can be read. Calls `refuse` in the turn of the request in which that began, or
   * after all requests; calls `end` instead where that request has its answer already.
   */
  breakOff(socket: Duplex, refuse: () => void, end: () => void): void;
}

/**
 * While no more than this many requests wait, the connection is read on: only reading shows that its client leaves.
 * Requests beyond, of the chunk that was just read, are still taken in: 64 KiB at most.
 */
const readOnBelow = 16;

interface Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly begin: RequestListener;
}

interface Line {
  readonly waiting: Turn[];
  current: Turn | undefined;
  /** The one that came last, and may have yet to come whole. */
  latest: Turn | undefined;
  /** What ends the line, after all that waits. */
  last: (() => void) | undefined;
  isHeld: boolean;
  isWatched: boolean;
  /** The turn of the current one is over. */
  readonly next: () => void;
}

export function createTurns(): Turns {
  return new ConnectionTurns();
}

class ConnectionTurns implements Turns {
  readonly #lines = new WeakMap<Duplex, Line>();

  request(request: IncomingMessage, response: ServerResponse, begins: RequestListener): void {
    const { socket } = request;
    if (!socket.writable) return;
    const line = this.#lineOf(socket);
    const turn = { request, response, begin: begins };
    line.latest = turn;
    if (line.current === undefined) {
      this.#begin(line, turn);
      return;
    }
    line.waiting.push(turn);
    if (!line.isHeld && line.waiting.length >= readOnBelow) this.#hold(socket, line);
  }

  hasUnanswered(socket: Duplex): boolean {
    return this.#lines.get(socket)?.current !== undefined;
  }

  giveAway(socket: Duplex, take: () => void): void {
    const line = this.#lineOf(socket);
    line.last = take;
    if (line.current === undefined) {
      this.#advance(socket, line);
      return;
    }
    // Else the parser's part. Whoever ends its side has left, as everywhere in Node's server.
    socket.on('error', () => {});
    socket.on('drain', () => line.current?.response.emit('drain'));
    socket.once('end', () => socket.end());
  }

  breakOff(socket: Duplex, refuse: () => void, end: () => void): void {
    const line = this.#lineOf(socket);
    if (line.last !== undefined) return;
    const { latest, current } = line;
    line.last = refuse;
    if (latest !== undefined && !latest.request.complete) {
      if (latest === line.waiting.at(-1)) line.waiting.pop();
      else if (latest.response.headersSent) line.last = end;
      else {
        this.#endLine(socket, line);
        return;
      }
    }
    if (current === undefined) this.#advance(socket, line);
  }

  #lineOf(socket: Duplex): Line {
    const known = this.#lines.get(socket);
    if (known !== undefined) return known;
    const line: Line = {
      waiting: [],
      current: undefined,
      latest: undefined,
      last: undefined,
      isHeld: false,
      isWatched: false,
      next: () => {
        if (line.latest?.request.complete) line.latest = undefined;
        line.current = undefined;
        this.#advance(socket, line);
      },
    };
    this.#lines.set(socket, line);
    return line;
  }

  #advance(socket: Duplex, line: Line): void {
    // After an answer that ends the connection nothing is carried out (RFC 9112, section 9.6).
    if (!socket.writable) {
      line.waiting.length = 0;
      line.last = undefined;
      return;
    }
    const turn = line.waiting.shift();
    if (line.isHeld && line.waiting.length < readOnBelow) {
      line.isHeld = false;
      // Of a line that ends, the rest is for another reader.
      if (line.last === undefined) socket.resume();
    }
    if (turn !== undefined) this.#begin(line, turn);
    else this.#endLine(socket, line);
  }

  #begin(line: Line, turn: Turn): void {
    line.current = turn;
    turn.response.once('close', line.next);
    turn.begin(turn.request, turn.response);
  }

  #endLine(socket: Duplex, line: Line): void {
    if (line.last === undefined) return;
    // A line of its own for a connection that comes back.
    this.#lines.delete(socket);
    line.last();
  }

  #hold(socket: Duplex, line: Line): void {
    line.isHeld = true;
    socket.pause();
    if (line.isWatched) return;
    line.isWatched = true;
    // The parser resumes it after each message.
    socket.on('resume', () => {
      if (line.isHeld) socket.pause();
    });
  }
}
