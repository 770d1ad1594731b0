export const scopes = ['read', 'write', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** Who asks: what a valid token stands for. */
export interface Principal {
  readonly tokenId: string;
  readonly workspace: string;
  readonly scopes: readonly Scope[];
  /** When the token ends, in milliseconds since the Unix epoch; absent where it does not. */
  readonly expires?: number;
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

/** admin includes read and write. */
export function hasScope(principal: Principal, scope: Scope): boolean {
  return principal.scopes.includes(scope) || principal.scopes.includes('admin');
}
