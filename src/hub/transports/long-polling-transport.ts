import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { inNextTurn } from '../../turns/rest.ts';
import type { Connection } from '../connection/connection.ts';
import type { MadeMessage } from '../connection/outgoing-message.ts';
import type { Transport } from '../connection/transport.ts';
import { onBreak } from './socket-breaks.ts';

/** The time after which an empty poll is answered; clients wait for 100 s. */
const pollMs = 90_000;
/** The time without a poll after which the client is gone. */
const disconnectMs = 15_000;

/**
 * Answers polls (TransportProtocols.md, "Long Polling"): the first at once and empty, the others with all messages
 * that wait, as soon as there are any. What a client does not take stays in the queue for its next poll.
 */
export interface LongPollingTransport extends Transport {
  poll(response: ServerResponse): void;
}

/**
 * Whether the socket is a proxy's. That one breaks says nothing of the client: HAProxy, for one, resets those that it
 * has no more use for, when it has passed the answer on.
 */
function isProxied({ req }: ServerResponse): boolean {
  return ['x-forwarded-for', 'forwarded', 'via'].some((name) => req.headers[name] !== undefined);
}

export function longPollingTransport(connection: Connection, now: () => number): LongPollingTransport {
  return new LongPolling(connection, now);
}

class LongPolling implements LongPollingTransport {
  readonly #connection: Connection;
  readonly #now: () => number;
  #isFirst = true;
  #waiting: ServerResponse | undefined;
  /** An answer is on its way: what comes after it must not overtake it. */
  #sending: { readonly response: ServerResponse; readonly messages: readonly MadeMessage[] } | undefined;
  /**
   * The latest answer, until the client polls again: a socket that breaks before has not delivered it. Undefined behind
   * a proxy.
   */
  #latest:
    | { readonly socket: Socket; readonly forget: () => void; readonly delivered: () => void }
    | undefined;
  #since;

  constructor(connection: Connection, now: () => number) {
    this.#connection = connection;
    this.#now = now;
    this.#since = now();
  }

  readonly name = 'LongPolling';

  poll(response: ServerResponse): void {
    if (this.#waiting !== undefined) this.#answer(this.#takePoll(), 204, []);
    this.#since = this.#now();
    if (this.#isFirst) {
      this.#isFirst = false;
      this.#answer(response, 200, []);
      this.#connection.attach(this);
      return;
    }
    // A client that polls on another socket has given up the answer that is on its way to it.
    if (this.#sending !== undefined && this.#sending.response.socket !== response.socket) this.#giveUp();
    this.#waiting = response;
    response.once('close', () => {
      if (this.#waiting !== response) return;
      this.#waiting = undefined;
      this.#since = this.#now();
    });
    const before = this.#latest;
    if (before === undefined || before.socket === response.socket) {
      before?.delivered();
      this.flush();
      return;
    }
    // On a new socket: that the old one broke may be known only when all that has arrived is read.
    inNextTurn(() => {
      if (this.#latest === before) before.delivered();
      this.flush();
    });
  }

  flush(): void {
    if (this.#waiting === undefined || this.#sending !== undefined || this.#latest !== undefined) return;
    const messages: MadeMessage[] = [];
    for (let next = this.#connection.queue.take(); next !== undefined; next = this.#connection.queue.take())
      messages.push(next);
    if (messages.length > 0) {
      this.#answer(this.#takePoll(), 200, messages);
    } else if (this.#connection.queue.hasEnded && this.#connection.queue.length === 0) {
      this.#answer(this.#takePoll(), 204, []);
      this.#connection.apply('lost');
    }
  }

  cut(): void {
    this.#latest?.forget();
    // What its socket holds would stay for as long as the client likes.
    if (this.#sending !== undefined) this.#giveUp();
    if (this.#waiting !== undefined) this.#answer(this.#takePoll(), 204, []);
  }

  tick(time: number): void {
    if (this.#sending !== undefined) {
      if (time - this.#since >= pollMs) this.#giveUp();
    } else if (this.#waiting === undefined) {
      if (time - this.#since >= disconnectMs) this.#connection.apply('lost');
    } else if (time - this.#since >= pollMs) {
      this.#answer(this.#takePoll(), 200, []);
    }
  }

  #sent(messages: readonly MadeMessage[]): void {
    for (const message of messages) this.#connection.queue.sent(message);
  }

  #remember(socket: Socket, messages: readonly MadeMessage[]): void {
    const unwatch = onBreak(socket, () => {
      this.#latest?.forget();
      this.#connection.queue.putBack(messages);
      this.flush();
    });
    const forget = (): void => {
      unwatch();
      this.#latest = undefined;
    };
    this.#latest = {
      socket,
      forget,
      delivered: () => {
        forget();
        this.#sent(messages);
      },
    };
  }

  #answer(response: ServerResponse, status: 200 | 204, messages: readonly MadeMessage[]): void {
    const { socket } = response;
    const length = messages.reduce((sum, { bytes }) => sum + bytes.length, 0);
    response.writeHead(status, {
      'Cache-Control': 'no-cache,no-store',
      ...(status === 200 && { 'Content-Type': 'application/octet-stream', 'Content-Length': length }),
    });
    if (messages.length === 0 || socket === null) {
      this.#connection.queue.putBack(messages);
      response.end();
      return;
    }
    this.#sending = { response, messages };
    const settle = (wasSent: boolean) => (): void => {
      if (this.#sending?.response !== response) return;
      this.#sending = undefined;
      this.#since = this.#now();
      if (!wasSent || this.#connection.state === 'closed') this.#connection.queue.putBack(messages);
      else if (isProxied(response)) this.#sent(messages);
      else this.#remember(socket, messages);
      this.flush();
    };
    response.once('finish', settle(true)).once('close', settle(false));
    // As they are, for others may have them too.
    response.cork();
    for (const { bytes } of messages) response.write(bytes);
    response.end();
    response.uncork();
  }

  /** Cuts off an answer that nobody takes; its messages wait for the next poll. */
  #giveUp(): void {
    const { response, messages } = this.#sending!;
    this.#sending = undefined;
    this.#since = this.#now();
    this.#connection.queue.putBack(messages);
    response.destroy();
  }

  /** Takes the waiting poll, to answer it. */
  #takePoll(): ServerResponse {
    const response = this.#waiting!;
    this.#waiting = undefined;
    this.#since = this.#now();
    return response;
  }
}
