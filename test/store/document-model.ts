import assert from 'node:assert/strict';
import type { DocumentKind } from '../../src/domain/document.ts';
import type { Batch, Catalog, Change } from '../../src/store/store.ts';
import type { Random } from './embedded/random.ts';

const workspaces = ['default', 'other'] as const;
const kinds: readonly DocumentKind[] = ['calculated', 'view', 'share', 'alert', 'webhookMessage'];
const topics = [undefined, 'cars', 'CARS', 'Bikes'] as const;
const ids = ['a', 'B', 'é', '"quoted", and a comma', 'z'] as const;

interface Kept {
  readonly kind: DocumentKind;
  readonly topic: string | undefined;
  readonly id: string;
  readonly body: string;
}

/** What a store should keep: a plain list for each workspace. */
export interface KeptModel {
  /** A batch of some changes, which the model takes as acknowledged. */
  some(random: Random): Batch;
  /** Removes a workspace, which the model takes as acknowledged. */
  remove(workspace: string): Batch;
  /** Fails where the catalogue gives anything else, by whatever way it is asked. */
  compare(
    catalog: Pick<Catalog, 'documents' | 'document' | 'eachDocument' | 'documentCount' | 'documentBytes'>,
  ): void;
  readonly count: number;
}

const isSame = (a: Kept | Change, b: Kept) =>
  'kind' in a && a.kind === b.kind && a.id === b.id && a.topic?.toLowerCase() === b.topic?.toLowerCase();

export function keptModel(): KeptModel {
  const kept = new Map<string, Kept[]>(workspaces.map((name) => [name, []]));

  function apply(workspace: string, change: Kept | undefined, replaced: Kept): void {
    const others = kept.get(workspace)!.filter((item) => !isSame(item, replaced));
    kept.set(workspace, change === undefined ? others : [...others, change]);
  }

  function changeOf(random: Random, workspace: string): Change {
    const name = { kind: random.pick(kinds), topic: random.pick(topics), id: random.pick(ids) };
    const forgets = random.chance(0.3);
    const body = JSON.stringify({ n: random.int(0, 1e9), text: 'ü"\n'.repeat(random.pick([0, 1, 3000])) });
    apply(workspace, forgets ? undefined : { ...name, body }, { ...name, body });
    return forgets ? { type: 'forget', ...name } : { type: 'keep', ...name, body };
  }

  return {
    some(random) {
      const workspace = random.pick(workspaces);
      const changes = Array.from({ length: random.int(1, 4) }, () => changeOf(random, workspace));
      return { workspace, changes };
    },
    remove(workspace) {
      kept.set(workspace, []);
      return { workspace, changes: [{ type: 'removeWorkspace', name: workspace }] };
    },
    compare(catalog) {
      for (const workspace of workspaces) {
        const expected = kept.get(workspace)!;
        for (const kind of kinds) {
          const ofKind = expected.filter((item) => item.kind === kind);
          assert.deepEqual(told(catalog.documents(workspace, kind)), told(ofKind));
          assert.deepEqual(told([...catalog.eachDocument(workspace, kind)]), told(ofKind));
          assert.deepEqual(
            told([...catalog.eachDocument(workspace, kind, 'CARS')]),
            told(ofKind.filter((item) => item.topic?.toLowerCase() === 'cars')),
          );
          assert.equal(catalog.documentCount(workspace, kind), ofKind.length);
          const bytes = ofKind.reduce((sum, { body }) => sum + body.length, 0);
          assert.equal(catalog.documentBytes(workspace, kind), bytes);
          for (const topic of ['cArS', 'bikes', 'none'])
            assert.deepEqual(
              told(catalog.documents(workspace, kind, topic)),
              told(ofKind.filter((item) => item.topic?.toLowerCase() === topic.toLowerCase())),
            );
          for (const topic of topics)
            for (const id of ids) {
              const found = catalog.document(workspace, kind, topic, id);
              const item = ofKind.find((one) => isSame(one, { kind, topic, id, body: '' }));
              assert.deepEqual(found && told([found]), item && told([item]));
            }
        }
        const listed = kinds.flatMap((kind) =>
          catalog.documents(workspace, kind).map(({ id }) => [kind, id]),
        );
        const inOrder = [...listed].sort(([a, b], [c, d]) =>
          a === c
            ? b! < d!
              ? -1
              : b! > d!
                ? 1
                : 0
            : kinds.indexOf(a as DocumentKind) - kinds.indexOf(c as DocumentKind),
        );
        assert.deepEqual(listed, inOrder);
      }
    },
    get count() {
      return [...kept.values()].flat().length;
    },
  };
}

/** All but the times, in one order. */
function told(items: readonly Kept[]): unknown[] {
  return items
    .map(({ kind, topic, id, body }) => [id, kind, topic, body.slice(0, 20), body.length].join(' '))
    .sort();
}
