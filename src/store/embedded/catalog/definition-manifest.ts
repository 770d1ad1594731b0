import type { Manifest, ManifestChange, TableName } from '../manifest/manifest.ts';
import type { DefinitionTable } from './definition-table.ts';

/**
 * How lists of definitions go to the manifest and come back: table `parameterDefinitions` or `eventDefinitions`, key the
 * number of a list, value the list. Entries of streams name the numbers. At every moment each number that an entry
 * names is there: a list is written before the first entry that names it, and removed after the last one is gone.
 *
 * Of what is loaded, `give` says that a stream's entry names a list, and gives it to the stream where that is known;
 * `end` lets go of the lists that no entry has named.
 */
export function loadedLists<Definition>(
  manifest: Manifest,
  name: TableName,
  table: DefinitionTable<Definition>,
) {
  const lists = new Map<number, readonly Definition[]>();
  const named = new Set<number>();
  for (const { key, value } of manifest.entries(name)) {
    table.reserve(Number(key));
    lists.set(Number(key), value as readonly Definition[]);
  }
  return {
    give(stream: number | undefined, number: number): void {
      const list = lists.get(number);
      // A list that is lost must not become another one.
      table.reserve(number);
      if (list === undefined) return;
      named.add(number);
      if (stream !== undefined) table.assign(stream, number, list);
    },
    end(): void {
      for (const number of lists.keys()) if (!named.has(number)) table.unused.add(number);
    },
  };
}

/** The lists of definitions of one kind, for one flush. */
export interface ListsToSave {
  /** The list of a stream, where the manifest does not have it: it has to be there before the stream's entry. */
  listOf(stream: number): readonly ManifestChange[];
  /** What no stream used when the flush began: by now no entry names it either. */
  removals(): Generator<ManifestChange>;
  done(): void;
}

export function listsToSave<Definition>(name: TableName, table: DefinitionTable<Definition>): ListsToSave {
  const removed = [...table.unused];
  const written = new Set<number>();
  return {
    listOf(stream) {
      const number = table.numberOf(stream);
      if (number === 0 || written.has(number) || table.persisted.has(number)) return [];
      written.add(number);
      return [{ table: name, key: number, value: table.list(number) }];
    },
    *removals() {
      for (const number of removed) yield { table: name, key: number, value: undefined };
    },
    done() {
      for (const number of removed) table.unused.delete(number);
      for (const number of written) if (table.list(number) !== undefined) table.persisted.add(number);
    },
  };
}
