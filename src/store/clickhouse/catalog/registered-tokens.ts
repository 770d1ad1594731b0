import type { TokenRecord } from '../../../domain/principal.ts';

export interface TokenChange {
  readonly id: string;
  readonly version: bigint;
  /** Undefined: revoked. */
  readonly token: TokenRecord | undefined;
}

/** The newest version of each token, those that were revoked too. */
export class RegisteredTokens {
  readonly #byId = new Map<string, TokenChange>();
  /** Of those that are not revoked. */
  readonly #idsByHash = new Map<string, string>();

  /** Changes nothing where a newer version is known. */
  put(change: TokenChange): void {
    const known = this.#byId.get(change.id);
    if (known !== undefined && known.version > change.version) return;
    if (known?.token !== undefined) this.#idsByHash.delete(known.token.hash);
    this.#byId.set(change.id, change);
    if (change.token !== undefined) this.#idsByHash.set(change.token.hash, change.id);
  }

  /** Forgets the tokens of a workspace that are not newer. */
  forget(workspace: string, version: bigint): void {
    for (const [id, change] of this.#byId) {
      if (change.token?.workspace !== workspace || change.version > version) continue;
      this.#idsByHash.delete(change.token.hash);
      this.#byId.delete(id);
    }
  }

  byHash(hash: string): TokenRecord | undefined {
    return this.#byId.get(this.#idsByHash.get(hash) ?? '')?.token;
  }

  all(): TokenRecord[] {
    return [...this.#byId.values()].flatMap(({ token }) => token ?? []);
  }
}
