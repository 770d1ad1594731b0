import { entryOf } from './entry-of.ts';
import { compareText } from './tags.ts';
import { foldTopic } from './topic.ts';

/** What a kept document is. */
export type DocumentKind =
  | 'calculated'
  | 'view'
  | 'share'
  | 'alert'
  | 'alertState'
  | 'alertWatch'
  | 'webhookMessage'
  | 'webhookSender'
  | 'mqttMessage'
  | 'replicaPosition';

/** Of these, what can be put into another service; the rest is of the one that made it alone. */
export const copiedKinds = [
  'calculated',
  'view',
  'share',
  'alert',
  'alertState',
] as const satisfies readonly DocumentKind[];

/** A small document that a workspace keeps, by kind, topic and id. */
export interface Document {
  readonly kind: DocumentKind;
  /** As it was spelt in the change that made it; undefined for one that belongs to no topic. */
  readonly topic: string | undefined;
  readonly id: string;
  /** JSON. */
  readonly body: string;
  /** Milliseconds since the Unix epoch. */
  readonly updatedAt: number;
}

/** The names of a kept document; topics that differ in case only are one. */
export type DocumentName = Pick<Document, 'kind' | 'topic' | 'id'>;

/** Returns a key that tells a kept document from all others of any workspace. */
export function documentKey(workspace: string, { kind, topic, id }: DocumentName): string {
  return JSON.stringify([workspace, kind, topic === undefined ? null : foldTopic(topic), id]);
}

/** What a key names, its topic folded. */
export function documentOfKey(key: string): { readonly workspace: string; readonly name: DocumentName } {
  const [workspace, kind, topic, id] = JSON.parse(key) as [string, DocumentKind, string | null, string];
  return { workspace, name: { kind, topic: topic ?? undefined, id } };
}

/**
 * Kept documents in memory. What a listing gives is the same array until one of its documents changes, so that others
 * may remember what they have made of it.
 */
export interface DocumentTable {
  put(workspace: string, item: Document): void;
  remove(workspace: string, name: DocumentName): void;
  removeWorkspace(workspace: string): void;
  /** Of a kind, in order of id; without `topic` those of all topics and of none. */
  list(workspace: string, kind: DocumentKind, topic?: string): readonly Document[];
  /** The same in no order, and without the work of putting them in order; goes on while others come and go. */
  each(workspace: string, kind: DocumentKind, topic?: string): Iterable<Document>;
  count(workspace: string, kind: DocumentKind): number;
  /** Of the bodies of a kind: UTF-16 code units, which mostly are as many bytes. */
  bytes(workspace: string, kind: DocumentKind): number;
  get(workspace: string, name: DocumentName): Document | undefined;
  /** Returns the documents of a workspace, of every kind. */
  all(workspace: string): Document[];
}

/** Documents by id; `sorted` is undefined while it has to be made anew. */
interface Group {
  items: Map<string, Document>;
  sorted: readonly Document[] | undefined;
}

interface OfKind {
  /** By folded topic; those without one by ''. */
  readonly topics: Map<string, Group>;
  sorted: readonly Document[] | undefined;
  bytes: number;
}

const none: readonly Document[] = [];

export function documentTable(): DocumentTable {
  const workspaces = new Map<string, Map<DocumentKind, OfKind>>();

  const ofKind = (workspace: string, kind: DocumentKind) => workspaces.get(workspace)?.get(kind);
  const groupOf = (workspace: string, kind: DocumentKind, topic: string | undefined) =>
    ofKind(workspace, kind)?.topics.get(placeOf(topic));

  return {
    put(workspace, item) {
      const kinds = entryOf(workspaces, workspace, () => new Map<DocumentKind, OfKind>());
      const kind = entryOf(
        kinds,
        item.kind,
        (): OfKind => ({ topics: new Map(), sorted: undefined, bytes: 0 }),
      );
      const group = entryOf(
        kind.topics,
        placeOf(item.topic),
        (): Group => ({ items: new Map(), sorted: undefined }),
      );
      kind.bytes += item.body.length - (group.items.get(item.id)?.body.length ?? 0);
      group.items.set(item.id, item);
      group.sorted = undefined;
      kind.sorted = undefined;
    },

    remove(workspace, { kind, topic, id }) {
      const group = groupOf(workspace, kind, topic);
      const before = group?.items.get(id);
      if (group === undefined || before === undefined) return;
      group.items.delete(id);
      group.sorted = undefined;
      const all = ofKind(workspace, kind)!;
      all.bytes -= before.body.length;
      all.sorted = undefined;
      if (group.items.size === 0) all.topics.delete(placeOf(topic));
    },

    removeWorkspace: (workspace) => void workspaces.delete(workspace),

    list(workspace, kind, topic) {
      const all = ofKind(workspace, kind);
      if (all === undefined) return none;
      if (topic !== undefined) return sortedOf(all.topics.get(placeOf(topic)));
      const [only, another] = all.topics.values();
      if (another === undefined) return sortedOf(only);
      all.sorted ??= [...all.topics.values()].flatMap(sortedOf).sort(byId);
      return all.sorted;
    },

    *each(workspace, kind, topic) {
      const all = ofKind(workspace, kind);
      const groups = topic === undefined ? all?.topics.values() : [all?.topics.get(placeOf(topic))];
      for (const group of groups ?? []) if (group !== undefined) yield* group.items.values();
    },

    count(workspace, kind) {
      let count = 0;
      for (const { items } of ofKind(workspace, kind)?.topics.values() ?? []) count += items.size;
      return count;
    },

    bytes: (workspace, kind) => ofKind(workspace, kind)?.bytes ?? 0,

    get: (workspace, { kind, topic, id }) => groupOf(workspace, kind, topic)?.items.get(id),

    all: (workspace) =>
      [...(workspaces.get(workspace)?.values() ?? [])].flatMap(({ topics }) =>
        [...topics.values()].flatMap(({ items }) => [...items.values()]),
      ),
  };
}

/** No topic has this name. */
function placeOf(topic: string | undefined): string {
  return topic === undefined ? '' : foldTopic(topic);
}

function sortedOf(group: Group | undefined): readonly Document[] {
  if (group === undefined) return none;
  if (group.sorted === undefined) {
    group.sorted = [...group.items.values()].sort(byId);
    // What is in order but for a few is put in order in one pass.
    group.items = new Map(group.sorted.map((item) => [item.id, item]));
  }
  return group.sorted;
}

function byId(a: Document, b: Document): number {
  return compareText(a.id, b.id);
}
