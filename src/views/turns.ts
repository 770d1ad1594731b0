/**
 * Changes of a workspace's views take turns, so that what one has looked at is still so when it writes. Of other nodes that
 * is not known: of two that write the same view at the same moment the later one wins.
 */
export interface WorkspaceTurns {
  take<Result>(workspace: string, change: () => Promise<Result>): Promise<Result>;
}

export function workspaceTurns(): WorkspaceTurns {
  const last = new Map<string, Promise<unknown>>();
  return {
    take(workspace, change) {
      const before = last.get(workspace) ?? Promise.resolve();
      const result = before.then(change, change);
      const settled = result.catch(() => undefined);
      last.set(workspace, settled);
      settled.then(() => {
        if (last.get(workspace) === settled) last.delete(workspace);
      });
      return result;
    },
  };
}
