import { entryOf } from './entry-of.ts';
import { compareText } from './tags.ts';
import { foldTopic } from './topic.ts';

/** What a kept document is. */
export type KeptKind =
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
] as const satisfies readonly KeptKind[];

/** A small document that a workspace keeps, by kind, topic and id. */
export interface KeptItem {
  readonly kind: KeptKind;
  /** As it was spelt in the change that made it; undefined for one that belongs to no topic. */
  readonly topic: string | undefined;
  readonly id: string;
  /** JSON. */
  readonly body: string;
  /** Milliseconds since the Unix epoch. */
  readonly updatedAt: number;
}

/** The names of a kept document; topics that differ in case only are one. */
export type KeptName = Pick<KeptItem, 'kind' | 'topic' | 'id'>;

/** Returns a key that tells a kept document from all others of any workspace. */
export function keptKey(workspace: string, { kind, topic, id }: KeptName): string {
  return JSON.stringify([workspace, kind, topic === undefined ? null : foldTopic(topic), id]);
}

/** What a key names, its topic folded. */
export function namedByKey(key: string): { readonly workspace: string; readonly name: KeptName } {
  const [workspace, kind, topic, id] = JSON.parse(key) as [string, KeptKind, string | null, string];
  return { workspace, name: { kind, topic: topic ?? undefined, id } };
}

/**
 * Kept documents in memory. What a listing gives is the same array until one of its documents changes, so that others
 * may remember what they have made of it.
 */
export interface KeptTable {
  put(workspace: string, item: KeptItem): void;
  remove(workspace: string, name: KeptName): void;
  removeWorkspace(workspace: string): void;
  /** Of a kind, in order of id; without `topic` those of all topics and of none. */
  list(workspace: string, kind: KeptKind, topic?: string): readonly KeptItem[];
  /** The same in no order, and without the work of putting them in order; goes on while others come and go. */
  each(workspace: string, kind: KeptKind, topic?: string): Iterable<KeptItem>;
  count(workspace: string, kind: KeptKind): number;
  /** Of the bodies of a kind: UTF-16 code units, which mostly are as many bytes. */
  bytes(workspace: string, kind: KeptKind): number;
  get(workspace: string, name: KeptName): KeptItem | undefined;
  /** Those of a workspace, of every kind. */
  all(workspace: string): KeptItem[];
}

/** Documents by id; `sorted` is undefined while it has to be made anew. */
interface Group {
  items: Map<string, KeptItem>;
  sorted: readonly KeptItem[] | undefined;
}

interface OfKind {
  /** By folded topic; those without one by ''. */
  readonly topics: Map<string, Group>;
  sorted: readonly KeptItem[] | undefined;
  bytes: number;
}

const none: readonly KeptItem[] = [];

export function keptTable(): KeptTable {
  const workspaces = new Map<string, Map<KeptKind, OfKind>>();

  const ofKind = (workspace: string, kind: KeptKind) => workspaces.get(workspace)?.get(kind);
  const groupOf = (workspace: string, kind: KeptKind, topic: string | undefined) =>
    ofKind(workspace, kind)?.topics.get(placeOf(topic));

  return {
    put(workspace, item) {
      const kinds = entryOf(workspaces, workspace, () => new Map<KeptKind, OfKind>());
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

function sortedOf(group: Group | undefined): readonly KeptItem[] {
  if (group === undefined) return none;
  if (group.sorted === undefined) {
    group.sorted = [...group.items.values()].sort(byId);
    // What is in order but for a few is put in order in one pass.
    group.items = new Map(group.sorted.map((item) => [item.id, item]));
  }
  return group.sorted;
}

function byId(a: KeptItem, b: KeptItem): number {
  return compareText(a.id, b.id);
}
