/** The newest version of each kept document, of those that are there and of those that were forgotten. */
export interface DocumentVersions {
  /** 0 where nothing is known of it. */
  of(workspace: string, key: string): bigint;
  /** @param isThere false where it was forgotten with this version */
  put(workspace: string, key: string, version: bigint, isThere: boolean): void;
  /** Forgets what a workspace has that is not newer. */
  forget(workspace: string, version: bigint): void;
  /** Keys of documents that are there and were written before a version. */
  olderThan(version: bigint): Iterable<readonly [workspace: string, key: string]>;
}

/**
 * What was forgotten is remembered for so long (ns): an answer of the database that was under way may still have it, and none
 * is waited for so long. Each message to a webhook is such a document.
 */
export const forgottenLastsNs = 3_600_000_000_000n;

interface OfWorkspace {
  there: Map<string, bigint>;
  /** In the order in which they came, which is nearly that of their versions. */
  forgotten: Map<string, bigint>;
}

export function documentVersions(): DocumentVersions {
  const workspaces = new Map<string, OfWorkspace>();
  let newest = 0n;

  function prune({ forgotten }: OfWorkspace): void {
    for (const [key, version] of forgotten) {
      if (version + forgottenLastsNs > newest) return;
      forgotten.delete(key);
    }
  }

  return {
    of(workspace, key) {
      const known = workspaces.get(workspace);
      return known?.there.get(key) ?? known?.forgotten.get(key) ?? 0n;
    },
    put(workspace, key, version, isThere) {
      if (version > newest) newest = version;
      const known = workspaces.get(workspace) ?? { there: new Map(), forgotten: new Map() };
      workspaces.set(workspace, known);
      known.forgotten.delete(key);
      if (isThere) known.there.set(key, version);
      else {
        known.there.delete(key);
        if (version + forgottenLastsNs > newest) known.forgotten.set(key, version);
      }
      prune(known);
    },
    forget(workspace, version) {
      const known = workspaces.get(workspace);
      if (known === undefined) return;
      const newer = (versions: Map<string, bigint>) =>
        new Map([...versions].filter(([, one]) => one > version));
      workspaces.set(workspace, { there: newer(known.there), forgotten: newer(known.forgotten) });
    },
    *olderThan(version) {
      for (const [workspace, { there }] of workspaces)
        for (const [key, one] of there) if (one < version) yield [workspace, key];
    },
  };
}
