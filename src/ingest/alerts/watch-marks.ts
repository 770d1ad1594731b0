import type { Appender, Documents, ServiceRegistry } from '../../store/store.ts';
import type { Listened } from './listening.ts';

/**
 * When the service could take rows, as the store keeps it: in the states of rules that got some, and in a mark of each workspace
 * where streams are waited for. A start learns from them how long the service was down. A mark is of the kind `alertWatch`, its
 * body `{"until": ms, "gaps": [[from, to], …]}`.
 */
export interface WatchMarks {
  /** The mark of a workspace; undefined where there is none. */
  of(workspace: string): Listened | undefined;
  /** Keeps a mark, where the workspace is there. */
  keep(workspace: string, mark: Listened): Promise<void>;
}

export function watchMarks({
  append,
  catalog,
}: Pick<Appender, 'append'> & {
  readonly catalog: Pick<Documents, 'document'> & Pick<ServiceRegistry, 'workspace'>;
}): WatchMarks {
  const name = { kind: 'alertWatch', topic: undefined, id: 'listened' } as const;
  return {
    of(workspace) {
      const item = catalog.document(workspace, name.kind, name.topic, name.id);
      return item && (JSON.parse(item.body) as Listened);
    },
    async keep(workspace, mark) {
      if (catalog.workspace(workspace) === undefined) return;
      await append({ workspace, changes: [{ type: 'keep', ...name, body: JSON.stringify(mark) }] });
    },
  };
}
