import type { Store } from '../../store/store.ts';

/**
 * When rows were taken last, as the store keeps it: with the states of rules, and where no rows come, with a mark of a workspace
 * once a minute. A start learns from it how long the service was down. Kind `alertWatch`, its body `{"until": ms}`.
 */
export interface WatchMarks {
  /** The mark of a workspace (ms); undefined where there is none. */
  of(workspace: string): number | undefined;
  /** Rows can be taken now: kept, where nothing newer than `known` (ms) tells so for long. */
  renew(workspace: string, known: number, longMs?: number): Promise<void>;
}

const renewMs = 60_000;

export function watchMarks(
  {
    append,
    catalog,
  }: Pick<Store, 'append'> & { readonly catalog: Pick<Store['catalog'], 'keptItem' | 'workspace'> },
  now: () => number,
): WatchMarks {
  const name = { kind: 'alertWatch', topic: undefined, id: 'listened' } as const;

  const of = (workspace: string): number | undefined => {
    const item = catalog.keptItem(workspace, name.kind, name.topic, name.id);
    return item && (JSON.parse(item.body) as { readonly until: number }).until;
  };

  return {
    of,
    async renew(workspace, known, longMs = renewMs) {
      const time = now();
      const told = [known, of(workspace) ?? 0].filter((one) => one <= time);
      if (time - Math.max(0, ...told) < longMs || catalog.workspace(workspace) === undefined) return;
      const body = JSON.stringify({ until: time });
      await append({ workspace, changes: [{ type: 'keep', ...name, body }] });
    },
  };
}
