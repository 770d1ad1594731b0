import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ByteBudget } from '../ingest/byte-budget.ts';
import type { Connection } from './connection.ts';
import type { Flushes } from './flushes.ts';
import { createFrameWalk } from './frame-walk.ts';
import type { HubMeter } from './hub-meter.ts';
import { type TakenFrame, takeFrame } from './web-socket-frames.ts';

/** What the socket is given at one time; the rest waits in the queue, where a last word can still replace it. */
const windowBytes = 128 * 1024;
/** What frames a message comes on top of it. */
const frameSlackBytes = 64 * 1024;
/** Up to here an unfinished message is not worth counting. */
const uncountedBytes = 256 * 1024;

/** Takes upgrades: no compression, no subprotocol. */
export function openWebSocketServer(maxUnfinishedBytes: number): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    handleProtocols: () => false,
    maxPayload: maxUnfinishedBytes + frameSlackBytes,
    // The readers of messages check it, and say it in a Close message.
    skipUTF8Validation: true,
  });
}

/**
 * Whole messages in every frame; text or binary as the protocol is (TransportProtocols.md, "WebSockets"). The answer to
 * the handshake has a frame of its own.
 * What comes in is a stream of bytes, however it is framed. No pings of its own: some clients do not answer them.
 */
export function webSocketsTransport(
  socket: WebSocket,
  raw: Duplex,
  connection: Connection,
  budget: ByteBudget,
  meter: HubMeter,
  flushes: Flushes,
): void {
  const { queue } = connection;
  let isScheduled = false;
  let isFirst = true;

  /** Gives the socket a frame. It is written to the socket itself: all that have the message get the same memory. */
  const write = ({ head, message }: TakenFrame): void => {
    if (head !== undefined) raw.write(head);
    raw.write(message.bytes, () => {
      queue.sent(message);
      if (queue.length > 0 || queue.hasEnded) flush();
    });
  };

  const run = (): void => {
    isScheduled = false;
    // Who has closed gets no more; the end of the socket follows.
    if (socket.readyState !== socket.OPEN) return;
    const binary = connection.isBinary;
    let isCorked = false;
    while (queue.takenBytes < windowBytes) {
      const frame = takeFrame(queue, binary, isFirst);
      if (frame === undefined) break;
      isFirst = false;
      // Frames that leave at one time leave together; for one of its own this would only be work.
      if (!isCorked && (queue.length > 0 || frame.head !== undefined)) {
        isCorked = true;
        raw.cork();
      }
      write(frame);
    }
    if (isCorked) raw.uncork();
    if (queue.length === 0 && queue.hasEnded) socket.close(1000);
  };

  const flush = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    flushes.add(run);
  };

  countUnfinished(socket, raw, connection, budget);
  countUnreadPongs(socket, raw, meter);
  sayWhyItCloses(socket, connection, run);
  socket.on('message', (data: Buffer) => {
    const ready = connection.receive(data);
    if (ready === undefined || socket.isPaused) return;
    socket.pause();
    ready.then(() => socket.resume());
  });
  // A close follows every error, and clients that leave by dropping the connection are nothing special.
  socket.on('error', () => {});
  socket.on('close', () => connection.apply('lost'));
  connection.attach({ name: 'WebSockets', flush, cut: () => socket.terminate(), tick() {} });
}

/** The library keeps the parts of a message until it is whole: they count against the budget of all requests. */
function countUnfinished(socket: WebSocket, raw: Duplex, connection: Connection, budget: ByteBudget): void {
  const reservation = budget.open(connection.principal);
  const frames = createFrameWalk();
  let counted = 0;
  const release = (): void => {
    counted = 0;
    reservation.release();
  };
  // Before the library, whose message counts elsewhere as soon as it is whole.
  raw.prependListener('data', (chunk: Buffer) => {
    frames.push(chunk);
    const { unfinished } = frames;
    connection.arriving(chunk.length, unfinished);
    if (unfinished < counted) release();
    if (unfinished - counted < uncountedBytes) return;
    try {
      reservation.take(unfinished - counted);
      counted = unfinished;
    } catch (error) {
      connection.apply('faulted', (error as Error).message);
    }
  });
  socket.on('close', release);
}

/** The library cuts off who sends pings and does not read the answers: a reader that is too slow, as others. */
function countUnreadPongs(socket: WebSocket, raw: Duplex, meter: HubMeter): void {
  const onPing = (): void => {
    if (!raw.destroyed) return;
    socket.off('ping', onPing);
    meter.readerTooSlow();
  };
  socket.on('ping', onPing);
}

/** Codes with which the library ends a connection by itself (RFC 6455, section 7.4.1), in words for the client. */
const reasons: ReadonlyMap<number, string> = new Map([
  [1002, 'a frame breaks the rules of WebSockets'],
  [1009, 'a frame is larger than an unfinished message may be'],
]);

/** A client of SignalR looks for the reason in a Close message, which has to leave before the socket closes. */
function sayWhyItCloses(socket: WebSocket, connection: Connection, run: () => void): void {
  const close = socket.close.bind(socket);
  socket.close = (code, data) => {
    const reason = code === undefined ? undefined : reasons.get(code);
    if (reason !== undefined && connection.state !== 'draining') {
      connection.apply('faulted', reason);
      socket.close = close;
      run();
    }
    close(code, data);
  };
}
