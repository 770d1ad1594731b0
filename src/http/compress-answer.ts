import { pipeline, type Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Coding, chooseCoding } from './content-coding.ts';

/** The fewest bytes of an answer that is compressed: shorter ones fit in one packet as they are. */
const leastBytes = 1024;

/**
 * Text in any form, and Arrow, whose buffers are as they are in memory; Parquet and tar are left alone, and errors: they
 * are short, and anyone can ask for one.
 */
const compressibleTypes =
  /^text\/(?!event-stream)|[/+](?<!problem\+)(?:json|xml|csv)(?:;|$)|vnd\.apache\.arrow/;

/** Brotli's own default, 11, takes many times longer for an answer that is sent once. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const whole: Readonly<Record<Coding, (bytes: Buffer | string) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, brotli),
  gzip: promisify(gzip) as (bytes: Buffer | string) => Promise<Buffer>,
};

const pieces: Readonly<Record<Coding, () => Transform>> = {
  br: () => createBrotliCompress(brotli),
  gzip: () => createGzip(),
};

/** A hook of the framework: compresses an answer where its client takes a coding of ours and its type gains from one. */
export async function compressAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  if (payload == null || reply.hasHeader('content-encoding')) return payload;
  if (!compressibleTypes.test(String(reply.getHeader('content-type') ?? ''))) return payload;
  const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
  if (isWhole && Buffer.byteLength(payload) < leastBytes) return payload;
  const coding = chooseCoding(request.headers['accept-encoding']);
  if (coding === undefined) return payload;
  addVary('Accept-Encoding', reply);
  reply.header('content-encoding', coding);
  reply.removeHeader('content-length');
  if (isWhole) return whole[coding](payload);
  // What breaks off is told where the chunks are made.
  return pipeline(payload as Readable, pieces[coding](), () => {});
}

/** Others have said by then what else the answer depends on. */
export function addVary(name: string, reply: FastifyReply): void {
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? name : `${vary}, ${name}`);
}
