import { timingSafeEqual } from 'node:crypto';
import { PitwallError } from '../errors.ts';
import { hashToken } from './token.ts';

/** What an Authorization header shows. Whether the token is valid is looked up each time. */
export interface ShownToken {
  /** As tokens are stored. */
  readonly hash: string;
  /** Whether it is the operator's own. */
  readonly isOperators: boolean;
}

/**
 * Reads Authorization headers and remembers those that were found to be worth it: a client sends the same one with every
 * request, and a hash costs more than a look-up.
 */
export interface RememberedHeaders {
  /** Throws `unauthorized` (401) for a header that shows no token. */
  read(header: string | undefined): ShownToken;
  /** To be called for tokens that exist only: anyone can send headers, and each would take its room. */
  remember(header: string | undefined, shown: ShownToken): void;
}

const mostRemembered = 1000;
/** The most characters of a header that is remembered: a token of ours has 46, the operator's own 1,024 at most. */
const longestHeader = 2048;

export function rememberedHeaders(operatorToken: string | undefined): RememberedHeaders {
  const operatorHash = operatorToken === undefined ? undefined : hashToken(operatorToken);
  const known = new Map<string, ShownToken>();
  return {
    read(header) {
      const remembered = header === undefined ? undefined : known.get(header);
      if (remembered !== undefined) return remembered;
      const hash = hashToken(bearerToken(header));
      return { hash, isOperators: operatorHash !== undefined && isEqual(hash, operatorHash) };
    },

    remember(header, shown) {
      if (header === undefined || known.has(header)) return;
      if (known.size === mostRemembered) known.clear();
      known.set(header, shown);
    },
  };
}

/** Takes the same time wherever they differ. */
function isEqual(hash: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(hash, 'latin1'), Buffer.from(other, 'latin1'));
}

/** `Bearer <token>`, the scheme in any case (RFC 6750; RFC 9110, section 11.1). */
function bearerToken(header: string | undefined): string {
  if (header === undefined || header === '') throw unauthorized('there is no Authorization header');
  if (header.length > longestHeader) {
    throw unauthorized(`an Authorization header may have ${longestHeader} characters at most`);
  }
  const match = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header);
  if (match === null) throw unauthorized("the Authorization header must be 'Bearer <token>'");
  return match[1]!;
}

export function unauthorized(detail: string): PitwallError {
  return new PitwallError('unauthorized', { detail });
}
