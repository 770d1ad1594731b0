import type { IncomingMessage } from 'node:http';
import { PitwallError } from '../../errors.ts';
import type { LeastRate } from '../../ingest/least-rate.ts';
import type { Connection } from '../connection/connection.ts';

/**
 * Takes the bodies of POSTs, whatever their Content-Type says: clients send none, or one that is not true. The bytes of
 * one connection are one stream, in the order in which its POSTs began, and go to it as they come: a body waits on its
 * socket for its turn, and for a connection that can take no more. Resolves when all of it is received; rejects with
 * `bad_request` where the client leaves before, and `request_timeout` where a body comes too slowly. Either ends the
 * connection, for the rest of a message never comes.
 */
export type ReceivePost = (request: IncomingMessage, connection: Connection) => Promise<void>;

export function createPostQueue(leastRate: LeastRate): ReceivePost {
  const last = new WeakMap<Connection, Promise<void>>();
  return (request, connection) => {
    const before = last.get(connection);
    const received =
      before === undefined
        ? feed(request, connection, leastRate)
        : before.then(() => feed(request, connection, leastRate));
    // Those that come after it go on in any case; what is wrong with this one is for its own caller.
    last.set(
      connection,
      received.catch(() => {}),
    );
    return received;
  };
}

function feed(request: IncomingMessage, connection: Connection, leastRate: LeastRate): Promise<void> {
  return new Promise((resolve, reject) => {
    const breakOff = (
      error = new PitwallError('bad_request', { detail: 'the client left inside the body of a POST' }),
    ): void => {
      watch.end();
      connection.apply('faulted', error.message);
      reject(error);
    };
    const watch = leastRate.watch(breakOff);
    if (request.destroyed && !request.readableEnded) {
      breakOff();
      return;
    }
    request.on('data', (chunk: Buffer) => {
      watch.arrived(chunk.length);
      connection.arriving(chunk.length, 0);
      const ready = connection.receive(chunk);
      if (ready === undefined) return;
      request.pause();
      watch.pause();
      ready.then(() => {
        watch.resume();
        request.resume();
      });
    });
    request.once('end', () => {
      watch.end();
      resolve();
    });
    request.once('close', () => {
      if (!request.readableEnded) breakOff();
    });
    request.on('error', () => {});
  });
}
