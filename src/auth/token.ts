import { createHash, randomBytes } from 'node:crypto';

/** A new bearer token: 256 random bits after a prefix that secret scanners can look for. */
export function makeToken(): string {
  return `pw_${randomBytes(32).toString('base64url')}`;
}

/** A token's public identifier: hex, so that it is easy to select and never looks like a flag. */
export function makeTokenId(): string {
  return randomBytes(8).toString('hex');
}

/**
 * Returns what is stored instead of a token: its SHA-256 in lowercase hex. The token is 256 random bits, so a slow hash
 * would add nothing; and a lookup by hash tells a clock nothing about the token.
 */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
