import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ByteBudget } from '../../ingest/byte-budget.ts';
import type { Connection } from '../connection/connection.ts';
import type { Flushes } from '../connection/flushes.ts';
import type { HubMeter } from '../connection/hub-meter.ts';
import type { MadeMessage } from '../connection/outgoing-message.ts';
import { createFrameWalk } from './frame-walk.ts';
import { headOf, takeFrame } from './web-socket-frames.ts';

/**
 * The bytes that the socket is given at one time; the rest waits in the queue, where a last word can still replace
 * it.
 */
const windowBytes = 128 * 1024;
/** What the frames of a message may take besides it. */
const frameSlackBytes = 64 * 1024;
/** Of a write that only asks to be told. */
const nothing = Buffer.alloc(0);
/** The size up to which an unfinished message is not counted. */
const uncountedBytes = 256 * 1024;

/** Takes upgrades: no compression, no subprotocol. */
export function openWebSocketServer(maxUnfinishedBytes: number): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    handleProtocols: () => false,
    maxPayload: maxUnfinishedBytes + frameSlackBytes,
    // However many parts a message has: each is counted with what it costs, below.
    maxFragments: 0,
    maxBufferedChunks: 0,
    // The readers of messages check it, and say it in a Close message.
    skipUTF8Validation: true,
  });
}

/**
 * Sends whole messages in every frame; text or binary as the protocol is (TransportProtocols.md, "WebSockets"). The
 * answer to the handshake has a frame of its own. What comes in is a stream of bytes, however it is framed. No pings of
 * its own: some clients do not answer them.
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

  /** Tells when the socket has sent what it has: a word of no bytes, behind all that. */
  const awaitSocket = (messages: readonly MadeMessage[]): void => {
    raw.write(nothing, () => {
      for (const message of messages) queue.sent(message);
      if (queue.length > 0 || queue.hasEnded) flush();
    });
  };

  const sendOne = (message: MadeMessage): void => {
    raw.write(message.frame ?? message.bytes);
    // The system has taken it, as nearly always. To be told so later would cost as much as all else here.
    if (raw.writableLength === 0) queue.sent(message);
    else awaitSocket([message]);
  };

  /** Frames that leave at one time leave together; for one of its own this would only be work. */
  const sendTogether = (first: MadeMessage): void => {
    const messages: MadeMessage[] = [];
    raw.cork();
    for (let next: MadeMessage | undefined = first; next !== undefined; ) {
      if (next.frame === undefined) raw.write(headOf(next.bytes.length, connection.isBinary));
      raw.write(next.frame ?? next.bytes);
      messages.push(next);
      next = queue.takenBytes < windowBytes ? takeFrame(queue, connection, false) : undefined;
    }
    raw.uncork();
    if (raw.writableLength > 0) {
      awaitSocket(messages);
      return;
    }
    for (const message of messages) queue.sent(message);
    if (queue.length > 0) flush();
  };

  /** What is sent is written to the socket itself: all that have a message get the same memory. */
  const run = (): void => {
    isScheduled = false;
    // Who has closed gets no more; the end of the socket follows.
    if (socket.readyState !== socket.OPEN) return;
    if (queue.takenBytes < windowBytes) {
      const message = takeFrame(queue, connection, isFirst);
      if (message !== undefined) {
        isFirst = false;
        if (message.frame === undefined || queue.length > 0) sendTogether(message);
        else sendOne(message);
      }
    }
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
