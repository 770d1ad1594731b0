import type { ServerResponse } from 'node:http';
import type { Connection } from '../connection/connection.ts';
import type { Flushes } from '../connection/flushes.ts';

/** The bytes that the socket is given at one time. */
const windowBytes = 128 * 1024;
const dataField = Buffer.from('data: ');
const endOfEvent = Buffer.from('\r\n\r\n');

/**
 * Sends each message as an event, on one line (TransportProtocols.md, "Server-Sent Events"). Only comments and `data:
 * `, with the blank, are safe with older clients; the comment in front is what `start()` waits for.
 */
export function serverSentEventsTransport(
  response: ServerResponse,
  connection: Connection,
  flushes: Flushes,
): void {
  const { queue } = connection;
  let isScheduled = false;

  const run = (): void => {
    isScheduled = false;
    if (response.writableEnded) return;
    response.cork();
    while (response.writableLength < windowBytes) {
      const message = queue.take();
      if (message === undefined) break;
      response.write(dataField);
      response.write(message.bytes);
      response.write(endOfEvent, () => queue.sent(message));
    }
    response.uncork();
    if (queue.length === 0 && queue.hasEnded) response.end();
  };

  const flush = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    flushes.add(run);
  };

  response.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-cache,no-store',
    'X-Accel-Buffering': 'no',
  });
  response.write(':\r\n');
  response.on('drain', flush);
  response.on('close', () => connection.apply('lost'));
  connection.attach({
    name: 'ServerSentEvents',
    flush,
    cut: () => response.destroy(),
    tick() {},
  });
}
