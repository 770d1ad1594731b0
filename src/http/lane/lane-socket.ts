import type { Socket } from 'node:net';
import { PitwallError } from '../../errors.ts';
import { takeReads } from './shared-reads.ts';

/** A connection of the lane, as a request sees it. */
export interface LaneClient {
  readonly socket: Socket;
  /**
   * Aborts when the connection is gone, or when the client ends its side while a request is under way: most clients that
   * do so have left, and only sending would show it. Node's server does the same.
   */
  readonly left: AbortSignal;
  /** The client sends nothing more, so the connection ends after the answer. */
  hasEnded(): boolean;
}

/** A connection that the lane has. */
export interface LaneConnection {
  readonly socket: Socket;
  /** A request is under way. */
  isBusy: boolean;
}

export interface LaneSocketOptions {
  /**
   * Begins to answer a chunk that is one whole request; undefined where it is not for the lane. Resolves when the
   * socket has the answer, with whether it was the last one.
   */
  readonly answer: (chunk: Buffer, client: LaneClient) => Promise<{ readonly isLast: boolean }> | undefined;
  /** Takes the connection over for good; what has been read of it and is not answered stands in it again. */
  readonly handOver: (socket: Socket) => void;
  /** How long a connection may be idle before its first request, ms, and what is told of one that was longer. */
  readonly silenceMs: number;
  readonly onSilent: () => void;
  /** How long it may be idle between requests, ms. */
  readonly keepAliveMs: number;
  /** Kept up to date. */
  readonly connections: Set<LaneConnection>;
}

/** A connection is read on up to this many bytes: only reading shows that its client leaves. */
const maxEarlyBytes = 64 * 1024;

/** Answers the requests of a connection one after another, until one comes that is not for the lane. */
export function driveSocket(
  socket: Socket,
  { answer, handOver, silenceMs, onSilent, keepAliveMs, connections }: LaneSocketOptions,
): void {
  /** Came while a request was under way. */
  let early: Buffer[] = [];
  let earlyBytes = 0;
  let ended = false;
  let isSilent = true;
  const connection: LaneConnection = { socket, isBusy: false };
  const left = new AbortController();
  const client: LaneClient = { socket, left: left.signal, hasEnded: () => ended };

  const onData = (chunk: Buffer): void => {
    if (connection.isBusy) {
      early.push(chunk);
      earlyBytes += chunk.length;
      if (earlyBytes >= maxEarlyBytes) socket.pause();
      return;
    }
    // Node's server knows how to wait for a client that does not take its answers.
    const answered = socket.writableNeedDrain ? undefined : answer(chunk, client);
    if (answered === undefined) {
      leave([chunk]);
      return;
    }
    connection.isBusy = true;
    if (isSilent) socket.setTimeout(keepAliveMs);
    isSilent = false;
    void answered.then(({ isLast }) => {
      connection.isBusy = false;
      if (socket.destroyed) return;
      if (isLast || ended) socket.end();
      else if (early.length > 0) leave(early);
    });
  };
  const tellLeft = (): void => {
    left.abort(new PitwallError('bad_request', { detail: 'the client left' }));
  };
  const onEnd = (): void => {
    ended = true;
    if (connection.isBusy) tellLeft();
    else socket.end();
  };
  const onClose = (): void => {
    connections.delete(connection);
    tellLeft();
  };
  const onTimeout = (): void => {
    if (connection.isBusy) return;
    if (isSilent) onSilent();
    socket.destroy();
  };
  const onError = (): void => {
    socket.destroy();
  };

  const leave = (bytes: readonly Buffer[]): void => {
    connections.delete(connection);
    giveReadsBack();
    socket.off('end', onEnd).off('close', onClose).off('error', onError);
    socket.setTimeout(0).off('timeout', onTimeout);
    if (socket.destroyed) return;
    if (ended) {
      // It takes no bytes back, and Node's server does not answer such a client either.
      socket.destroy();
      return;
    }
    early = [];
    socket.unshift(bytes.length === 1 ? bytes[0]! : Buffer.concat(bytes));
    handOver(socket);
    socket.resume();
  };

  connections.add(connection);
  const giveReadsBack = takeReads(socket, onData);
  socket.on('end', onEnd).on('close', onClose).on('error', onError);
  socket.setTimeout(silenceMs).on('timeout', onTimeout);
}
