import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { inNextTurn } from '../turns/rest.ts';
import type { Connection } from './connection.ts';
import type { MadeMessage } from './outgoing-message.ts';
import { onBreak } from './socket-breaks.ts';
import type { Transport } from './transport.ts';

/** An empty poll is answered after so long; clients wait for 100 s. */
const pollMs = 90_000;
/** Without a poll for so long the client is gone. */
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
  const { queue } = connection;
  let isFirst = true;
  let waiting: ServerResponse | undefined;
  /** An answer is on its way: what comes after it must not overtake it. */
  let sending: { readonly response: ServerResponse; readonly messages: readonly MadeMessage[] } | undefined;
  /**
   * The latest answer, until the client polls again: a socket that breaks before has not delivered it. Undefined behind
   * a proxy.
   */
  let latest:
    | { readonly socket: Socket; readonly forget: () => void; readonly delivered: () => void }
    | undefined;
  let since = now();

  const sent = (messages: readonly MadeMessage[]): void => {
    for (const message of messages) queue.sent(message);
  };

  const remember = (socket: Socket, messages: readonly MadeMessage[]): void => {
    const unwatch = onBreak(socket, () => {
      latest?.forget();
      queue.putBack(messages);
      transport.flush();
    });
    const forget = (): void => {
      unwatch();
      latest = undefined;
    };
    latest = {
      socket,
      forget,
      delivered() {
        forget();
        sent(messages);
      },
    };
  };

  const answer = (response: ServerResponse, status: 200 | 204, messages: readonly MadeMessage[]): void => {
    const { socket } = response;
    const length = messages.reduce((sum, { bytes }) => sum + bytes.length, 0);
    response.writeHead(status, {
      'Cache-Control': 'no-cache,no-store',
      ...(status === 200 && { 'Content-Type': 'application/octet-stream', 'Content-Length': length }),
    });
    if (messages.length === 0 || socket === null) {
      queue.putBack(messages);
      response.end();
      return;
    }
    sending = { response, messages };
    const settle = (wasSent: boolean) => (): void => {
      if (sending?.response !== response) return;
      sending = undefined;
      since = now();
      if (!wasSent || connection.state === 'closed') queue.putBack(messages);
      else if (isProxied(response)) sent(messages);
      else remember(socket, messages);
      transport.flush();
    };
    response.once('finish', settle(true)).once('close', settle(false));
    // As they are, for others may have them too.
    response.cork();
    for (const { bytes } of messages) response.write(bytes);
    response.end();
    response.uncork();
  };

  /** Cuts off an answer that nobody takes; its messages wait for the next poll. */
  const giveUp = (): void => {
    const { response, messages } = sending!;
    sending = undefined;
    since = now();
    queue.putBack(messages);
    response.destroy();
  };

  /** Takes the waiting poll, to answer it. */
  const takePoll = (): ServerResponse => {
    const response = waiting!;
    waiting = undefined;
    since = now();
    return response;
  };

  const transport: LongPollingTransport = {
    name: 'LongPolling',

    poll(response) {
      if (waiting !== undefined) answer(takePoll(), 204, []);
      since = now();
      if (isFirst) {
        isFirst = false;
        answer(response, 200, []);
        connection.attach(transport);
        return;
      }
      // A client that polls on another socket has given up the answer that is on its way to it.
      if (sending !== undefined && sending.response.socket !== response.socket) giveUp();
      waiting = response;
      response.once('close', () => {
        if (waiting !== response) return;
        waiting = undefined;
        since = now();
      });
      const before = latest;
      if (before === undefined || before.socket === response.socket) {
        before?.delivered();
        transport.flush();
        return;
      }
      // On a new socket: that the old one broke may be known only when all that has arrived is read.
      inNextTurn(() => {
        if (latest === before) before.delivered();
        transport.flush();
      });
    },

    flush() {
      if (waiting === undefined || sending !== undefined || latest !== undefined) return;
      const messages: MadeMessage[] = [];
      for (let next = queue.take(); next !== undefined; next = queue.take()) messages.push(next);
      if (messages.length > 0) {
        answer(takePoll(), 200, messages);
      } else if (queue.hasEnded && queue.length === 0) {
        answer(takePoll(), 204, []);
        connection.apply('lost');
      }
    },

    cut() {
      latest?.forget();
      // What its socket holds would stay for as long as the client likes.
      if (sending !== undefined) giveUp();
      if (waiting !== undefined) answer(takePoll(), 204, []);
    },

    tick(time) {
      if (sending !== undefined) {
        if (time - since >= pollMs) giveUp();
      } else if (waiting === undefined) {
        if (time - since >= disconnectMs) connection.apply('lost');
      } else if (time - since >= pollMs) {
        answer(takePoll(), 200, []);
      }
    },
  };
  return transport;
}
