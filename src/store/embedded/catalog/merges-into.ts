import type { CatalogState } from './catalog-state.ts';
import type { DefinitionTable, Merging } from './definition-table.ts';

export interface Merge<Definition> {
  readonly stream: number;
  readonly definitions: readonly Definition[];
}

/** Definitions that a record merges into those of its streams, all before one of them shows. */
export function mergesInto<Definition extends { readonly id: string }>(
  state: CatalogState,
  table: DefinitionTable<Definition>,
) {
  const byStream = new Map<number, Merging<Definition>>();
  return {
    add({ stream, definitions }: Merge<Definition>): void {
      const merging = byStream.get(stream) ?? table.begin(stream);
      byStream.set(stream, merging);
      merging.add(definitions);
    },
    show(open: (stream: number) => void): void {
      for (const [stream, merging] of byStream) {
        open(stream);
        if (!state.streams.isVisible(stream)) {
          merging.leave();
          continue;
        }
        merging.show();
        state.dirty.streams.add(stream);
      }
    },
  };
}
