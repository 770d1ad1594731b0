import type { SharedStreams } from './shared-streams.ts';

export const scopes = ['read', 'write', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** Who asks: what a valid token stands for. */
export interface Principal {
  readonly tokenId: string;
  readonly workspace: string;
  readonly scopes: readonly Scope[];
  /** When the token ends, in milliseconds since the Unix epoch; absent where it does not. */
  readonly expires?: number;
  /** Of the token of a share, which has no scopes: what it reads. */
  readonly share?: SharedStreams;
}

/** What a call asks of its callers. */
export interface Demand {
  readonly scope: Scope;
  /** The token of a share may call it as well: whoever answers narrows what is told to what is shared. */
  readonly openToShares?: true;
}

/** A token as it is stored: never the token itself. */
export interface TokenRecord {
  /** Public identifier, shown by `token list`. */
  readonly id: string;
  /** SHA-256 of the token in lowercase hex. */
  readonly hash: string;
  readonly workspace: string;
  readonly scopes: readonly Scope[];
  readonly name?: string;
  /** Milliseconds since the Unix epoch, as is `expires`. */
  readonly createdAt: number;
  readonly expires?: number;
}

/** A workspace and its settings; limits that are absent do not apply. */
export interface WorkspaceRecord {
  readonly name: string;
  readonly createdAt: number;
  /** Age of data by its timestamp, in nanoseconds. */
  readonly retention?: bigint;
  readonly maxStreams?: number;
  readonly maxBytes?: number;
}

export const defaultWorkspace = 'default';

/** Whether this caller may call at all; what it is told of is another matter. */
export function mayCall(principal: Principal, { scope, openToShares }: Demand): boolean {
  return principal.share === undefined ? hasScope(principal, scope) : openToShares === true;
}

/** admin includes read and write. */
export function hasScope(principal: Principal, scope: Scope): boolean {
  return principal.scopes.includes(scope) || principal.scopes.includes('admin');
}
