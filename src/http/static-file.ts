import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type Coding, chooseCoding } from './content-coding.ts';
import type { Answer, Call } from './route.ts';

/** What anyone may have without a token, the same for everybody until the service is replaced. */
export interface StaticFile {
  readonly bytes: Buffer;
  /** Media type. */
  readonly type: string;
  /** The answer's, beside those that follow from the bytes. */
  readonly headers: Readonly<Record<string, string>> & { readonly 'Cache-Control': string };
}

export type AnswerFile = (call: Pick<Call, 'acceptEncoding' | 'ifNoneMatch'>) => Promise<Answer>;

/** The fewest bytes of a file that is compressed: smaller ones fit in one packet as they are. */
const leastCompressed = 1024;
const worthCompressing = /^text\/|[/+](?:json|xml)(?:;|$)/;

const compress: Readonly<Record<Coding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
};

/**
 * Answers requests for a file. It is compressed when a client first takes that form, on a thread of its own, and never
 * again: nobody needs a token for it, so it must cost nearly nothing to ask. Each form has an ETag of its own.
 */
export function staticFile({ bytes, type, headers }: StaticFile): AnswerFile {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  const isCompressed = bytes.length >= leastCompressed && worthCompressing.test(type);
  const forms = new Map<Coding, Promise<Buffer>>();
  const formOf = (coding: Coding): Promise<Buffer> => {
    const known = forms.get(coding);
    if (known !== undefined) return known;
    const made = compress[coding](bytes);
    forms.set(coding, made);
    // The next client tries again.
    made.catch(() => forms.delete(coding));
    return made;
  };
  return async ({ acceptEncoding, ifNoneMatch }) => {
    const coding = isCompressed ? chooseCoding(acceptEncoding) : undefined;
    const etag = coding === undefined ? `"${hash}"` : `"${hash}-${coding}"`;
    const vary = isCompressed ? { vary: 'Accept-Encoding' } : {};
    const told = { ...headers, ETag: etag };
    if (matches(ifNoneMatch, etag)) return { status: 304, headers: told, ...vary };
    if (coding === undefined) return { type, headers: told, ...vary, chunks: [bytes] };
    const form = await formOf(coding);
    return { type, headers: { ...told, 'Content-Encoding': coding }, ...vary, chunks: [form] };
  };
}

/** Whether an If-None-Match header names the form (RFC 9110, section 13.1.2): the weak comparison, as proxies weaken tags. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((tag) => {
    const name = tag.trim().replace(/^W\//, '');
    return name === etag || name === '*';
  });
}
