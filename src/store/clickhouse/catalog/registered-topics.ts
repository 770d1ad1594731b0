import { foldTopic } from '../../../domain/topic.ts';

export interface TopicChange {
  readonly workspace: string;
  readonly topic: string;
  readonly name: { readonly version: bigint; readonly text: string };
  /** Version 0: not set. */
  readonly retention: { readonly version: bigint; readonly age: bigint | undefined };
}

export type RegisteredTopic = Pick<TopicChange, 'name' | 'retention'>;

const none: ReadonlyMap<string, RegisteredTopic> = new Map();

/** The first name and the newest retention of each topic, by workspace and folded name. */
export class RegisteredTopics {
  readonly #workspaces = new Map<string, Map<string, RegisteredTopic>>();

  put({ workspace, topic, name, retention }: TopicChange): void {
    const topics = this.#workspaces.get(workspace) ?? new Map<string, RegisteredTopic>();
    this.#workspaces.set(workspace, topics);
    const known = topics.get(topic);
    topics.set(topic, {
      name: known !== undefined && known.name.version <= name.version ? known.name : name,
      retention:
        known !== undefined && known.retention.version > retention.version ? known.retention : retention,
    });
  }

  /** Forgets the topics of a workspace that are not newer. */
  forget(workspace: string, version: bigint): void {
    const newer = [...this.of(workspace)].filter(([, { name }]) => name.version > version);
    this.#workspaces.set(workspace, new Map(newer));
  }

  /** By folded name. */
  of(workspace: string): ReadonlyMap<string, RegisteredTopic> {
    return this.#workspaces.get(workspace) ?? none;
  }

  /** @param topic in any spelling */
  get(workspace: string, topic: string): RegisteredTopic | undefined {
    return this.#workspaces.get(workspace)?.get(foldTopic(topic));
  }

  /** Topics that are spelt otherwise than folded: folded to spelt. */
  spelt(workspace: string): Map<string, string> {
    const all = [...this.of(workspace)].map(([topic, { name }]) => [topic, name.text] as const);
    return new Map(all.filter(([topic, text]) => topic !== text));
  }
}
