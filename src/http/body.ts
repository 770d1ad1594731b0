import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { PitwallError } from '../errors.ts';
import type { Reservation } from '../ingest/byte-budget.ts';

/** True if the head of a request announces a body (RFC 9112, section 6). */
export function announcesBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) !== 0);
}

/**
 * Hides the Content-Type of a request from the framework, which refuses what it cannot read of it: it has no meaning
 * without a body, nor for routes that take any, and what is wrong with it is said here.
 */
export function hideContentType({ headers }: IncomingMessage): void {
  headers['content-type'] = undefined;
}

/** The Content-Type as it was sent; the first, where there are several. */
function contentTypeOf({ rawHeaders }: IncomingMessage): string | undefined {
  const at = rawHeaders.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'content-type');
  return at < 0 ? undefined : rawHeaders[at + 1];
}

/**
 * Reads the whole body of a request into one buffer, decompressed.
 * Throws `unsupported_media_type` (415) for a body that is not called JSON (unless `anyType`) or has an unknown encoding,
 * `body_too_large` (413) as soon as the decompressed bytes pass the limit, `bad_encoding` (400) for data that
 * cannot be decompressed, `bad_request` (400) where the connection ends before all of the body was read, and `overloaded`
 * (503) when the reservation cannot grow. What is left of the body then flows away unread, so that the answer reaches a
 * client that is still sending.
 */
export async function readBody(
  request: IncomingMessage,
  limit: number,
  reservation: Reservation,
  anyType = false,
): Promise<Buffer> {
  const { headers } = request;
  if (!announcesBody(headers)) return Buffer.alloc(0);
  if (!anyType) requireJson(contentTypeOf(request));
  const decoder = decoderFor(headers['content-encoding']);
  const announced = Number(headers['content-length'] ?? 0);
  if (announced > limit) throw tooLarge(limit);
  if (decoder !== undefined) return collect(request, request.pipe(decoder), limit, 0, reservation);
  reservation.take(announced);
  return collect(request, request, limit, announced, reservation);
}

/** `taken` bytes are already reserved. */
function collect(
  request: IncomingMessage,
  source: Readable,
  limit: number,
  taken: number,
  reservation: Reservation,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let reserved = taken;
    const fail = (error: unknown): void => {
      source.off('data', onData).off('end', onEnd);
      request.off('close', onClose);
      if (source !== request) {
        request.unpipe();
        source.destroy();
      }
      request.resume();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      try {
        if (size > limit) throw tooLarge(limit);
        if (size > reserved) {
          reservation.take(size - reserved);
          reserved = size;
        }
      } catch (error) {
        fail(error);
      }
    };
    const onEnd = (): void => {
      request.off('close', onClose);
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size));
    };
    // The decoder may not have read all that the socket brought: what it has not read by then is lost.
    const onClose = (): void => {
      if (!request.readableEnded) fail(cutOff());
    };
    if (request.destroyed && !request.readableEnded) {
      fail(cutOff());
      return;
    }
    source.on('data', onData).once('end', onEnd);
    source.on('error', () => fail(source === request ? cutOff() : notDecompressible(request.headers)));
    request.on('close', onClose);
  });
}

/** `application/json` with any parameters (RFC 9110, section 8.3). */
function requireJson(type: string | undefined): void {
  if (type === undefined || type.trim() === '') {
    throw new PitwallError('unsupported_media_type', {
      detail: 'a body needs the header Content-Type: application/json',
    });
  }
  if (!/^application\/json[\t ]*(?:;|$)/i.test(type.trim())) {
    throw new PitwallError('unsupported_media_type', {
      detail: `a body must be application/json, not ${type}`,
    });
  }
}

function decoderFor(encoding: string | undefined) {
  switch (encoding?.trim().toLowerCase()) {
    case undefined:
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new PitwallError('unsupported_media_type', {
        detail: `the Content-Encoding must be gzip, deflate or br, not ${encoding}`,
      });
  }
}

function cutOff(): PitwallError {
  return new PitwallError('bad_request', { detail: 'the connection ended inside the body' });
}

function notDecompressible(headers: IncomingHttpHeaders): PitwallError {
  return new PitwallError('bad_encoding', { detail: `the body is not valid ${headers['content-encoding']}` });
}

function tooLarge(limit: number): PitwallError {
  return new PitwallError('body_too_large', {
    detail: `a body may have ${limit} bytes at most, decompressed`,
  });
}
