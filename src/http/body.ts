import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Readable, Writable } from 'node:stream';
import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  type Gunzip,
  type Inflate,
} from 'node:zlib';
import { PitwallError } from '../errors.ts';
import type { Reservation } from '../ingest/byte-budget.ts';
import type { LeastRate } from '../ingest/least-rate.ts';
import { createBodyBytes } from './body-bytes.ts';
import type { Route } from './route.ts';
import { unsnappy } from './unsnappy.ts';

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
export function contentTypeOf({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string | undefined {
  const at = rawHeaders.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'content-type');
  return at < 0 ? undefined : rawHeaders[at + 1];
}

type Decoder = Gunzip | Inflate | BrotliDecompress;

/** What holds for a body. */
export interface BodyRules {
  /** Most bytes, after decompression. */
  readonly maxBytes: number;
  /** What the body is, as messages name it. */
  readonly what: string;
  /** Taken as it is, whatever its media type; else it must be called JSON. */
  readonly anyType?: boolean;
  /** It is a block of Snappy, whether its Content-Encoding says so or not. */
  readonly isSnappy?: boolean;
}

/** The rules of a route: the limit of its own kind of body where that is narrower than the one of all. */
export function bodyRules(
  { limits, anyType, isSnappy }: NonNullable<Route['body']>,
  maxBodyBytes: number,
): BodyRules {
  const isNarrower = limits !== undefined && limits.maxBytes < maxBodyBytes;
  return {
    maxBytes: isNarrower ? limits.maxBytes : maxBodyBytes,
    what: isNarrower ? limits.what : 'a body',
    anyType: anyType === true,
    isSnappy: isSnappy === true,
  };
}

/**
 * Reads the whole body of a request into one buffer, decompressed. Memory is taken from the reservation as bytes arrive,
 * whatever length the head announces.
 * Throws `unsupported_media_type` (415) for a body that is not called JSON (unless `anyType`) or has an unknown encoding,
 * `body_too_large` (413) for a length beyond the limit and as soon as the decompressed bytes pass it, `bad_encoding` (400)
 * for data that cannot be decompressed, `bad_request` (400) where the connection ends before all of the body was read,
 * `request_timeout` (408) where it comes too slowly, and `overloaded` (503) when the reservation cannot grow. What is left
 * of the body then flows away unread, so that the answer reaches a client that is still sending.
 */
export async function readBody(
  request: IncomingMessage,
  { maxBytes, what, anyType, isSnappy }: BodyRules,
  reservation: Reservation,
  leastRate: LeastRate,
): Promise<Buffer> {
  const { headers } = request;
  if (!announcesBody(headers)) return Buffer.alloc(0);
  if (anyType !== true) requireJson(contentTypeOf(request));
  const encoding = headers['content-encoding'];
  const decoder =
    isSnappy === true && /^ *snappy *$/i.test(encoding ?? '') ? undefined : decoderFor(encoding);
  const tooLarge = (): PitwallError =>
    new PitwallError('body_too_large', {
      detail: `${what} may have ${maxBytes} bytes at most, decompressed`,
    });
  if (Number(headers['content-length'] ?? 0) > maxBytes) {
    decoder?.destroy();
    throw tooLarge();
  }
  const body = createBodyBytes();
  const onBytes = (chunk: Buffer): void => {
    if (body.size() + chunk.length > maxBytes) throw tooLarge();
    reservation.take(chunk.length);
    body.add(chunk);
  };
  await flow(request, decoder, leastRate, onBytes);
  return isSnappy === true ? unsnappy(body.whole(), maxBytes, reservation) : body.whole();
}

/** Resolves when all of a body, decompressed, went through `onBytes`; what that throws ends it. */
function flow(
  request: IncomingMessage,
  decoder: Decoder | undefined,
  leastRate: LeastRate,
  onBytes: (chunk: Buffer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const source: Readable = decoder ?? request;
    if (decoder !== undefined) request.pipe(togetherTo(decoder));
    const settle = (): void => {
      watch.end();
      source.off('data', onData).off('end', onEnd);
      request.off('data', onArrived).off('close', onClose);
    };
    const fail = (error: unknown): void => {
      settle();
      if (decoder !== undefined) {
        request.unpipe();
        decoder.destroy();
      }
      request.resume();
      reject(error);
    };
    const watch = leastRate.watch(fail);
    let arrived = 0;
    const onArrived = ({ length }: Buffer): void => {
      watch.arrived(length);
      arrived += length;
    };
    const onData = (chunk: Buffer): void => {
      try {
        onBytes(chunk);
      } catch (error) {
        fail(error);
      }
    };
    const onEnd = (): void => {
      // Deflate and Brotli end by themselves, whatever comes after their end.
      if (decoder !== undefined && decoder.bytesWritten < arrived) {
        fail(notDecompressible(request.headers));
        return;
      }
      settle();
      resolve();
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
    request.on('data', onArrived).on('close', onClose);
  });
}

/**
 * Writes to a decoder what came while it was busy as one: it works on another thread, and the way there costs more than
 * many chunks of a few bytes.
 */
function togetherTo(decoder: Decoder): Writable {
  const together = new Writable({
    write: (chunk: Buffer, _encoding, done) => decoder.write(chunk, done),
    writev: (chunks, done) => decoder.write(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)), done),
    final(done) {
      decoder.end();
      done();
    },
  });
  // The decoder itself says what is wrong with its bytes.
  return together.on('error', () => {});
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

function decoderFor(encoding: string | undefined): Decoder | undefined {
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
