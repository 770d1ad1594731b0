import type { Socket } from 'node:net';

/**
 * Has what comes on a connection given to `onChunk`, read into one buffer that all such connections share and copied from
 * there. Else Node makes a buffer of 64 KiB for each read and cuts it down to what came, which takes a tenth of the time of
 * a small request. Chunks come as data of the socket where this Node has no way to do so, and for a connection that comes
 * back: what it has read may stand in the socket.
 *
 * Gives what ends it: from then on what comes is data of the socket, for whoever has it next.
 */
export function takeReads(socket: Socket, onChunk: (chunk: Buffer) => void): () => void {
  let isTaken = true;
  const isShared = shareReads(socket, (bytes) => {
    if (!isTaken) return socket.push(exactCopy(bytes));
    onChunk(copyOf(bytes));
    return true;
  });
  if (!isShared) socket.on('data', onChunk);
  return () => {
    isTaken = false;
    socket.off('data', onChunk);
  };
}

const readBytes = 64 * 1024;
const readBuffer = Buffer.allocUnsafeSlow(readBytes);

/** Where chunks are copied to, one after the other. A larger one has bytes of its own. */
const blockBytes = 64 * 1024;
const largeBytes = 8 * 1024;
let block: Buffer = Buffer.alloc(0);
let used = 0;

function copyOf(bytes: Buffer): Buffer {
  const { length } = bytes;
  if (length >= largeBytes) return exactCopy(bytes);
  if (used + length > block.length) {
    block = Buffer.allocUnsafeSlow(blockBytes);
    used = 0;
  }
  const copy = block.subarray(used, used + length);
  copy.set(bytes);
  used += length;
  return copy;
}

/** Holds no memory beside its own: it may be kept for long. */
function exactCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

interface ReadHandle {
  useUserBuffer(buffer: Uint8Array): void;
}

/** Takes so many bytes of the buffer; false stops reading until the socket's stream asks for more. */
type OnRead = (bytes: number, buffer: Buffer) => boolean;

/**
 * What `new net.Socket({ onread })` does for a connection that is opened, on one that came in: Node has no option for
 * those, so this takes names of its own, and does without where they are missing.
 */
function shareReads(socket: Socket, onRead: (bytes: Buffer) => boolean): boolean {
  const { _handle: handle } = socket as unknown as { readonly _handle?: Partial<ReadHandle> | null };
  const buffer = symbolOf(socket, 'kBuffer');
  const callback = symbolOf(socket, 'kBufferCb');
  if (buffer === undefined || callback === undefined || typeof handle?.useUserBuffer !== 'function')
    return false;
  const isShared = (socket as unknown as Record<symbol, unknown>)[buffer] === readBuffer;
  if (isShared) return false;
  const take: OnRead = (bytes) => onRead(readBuffer.subarray(0, bytes));
  Object.assign(socket, { [buffer]: readBuffer, [callback]: take });
  handle.useUserBuffer(readBuffer);
  return true;
}

const symbols = new Map<string, symbol>();

function symbolOf(socket: Socket, description: string): symbol | undefined {
  const known = symbols.get(description);
  if (known !== undefined) return known;
  const found = Object.getOwnPropertySymbols(socket).find((symbol) => symbol.description === description);
  if (found !== undefined) symbols.set(description, found);
  return found;
}
