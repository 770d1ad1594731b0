import type { StreamDescription } from '../domain/definition.ts';
import type { Document } from '../domain/document.ts';

/** What live readers are told out of the catalogue. */
export interface LiveCatalog {
  /** A promise where the store has to ask for it. */
  describe(
    workspace: string,
    topic: string,
    streamId: string,
    now: number,
  ): StreamDescription | undefined | Promise<StreamDescription | undefined>;
  /** A topic as it was first spelt. */
  topicName(workspace: string, topic: string): string | undefined;
  /** What a topic keeps; the same array until one of it changes. */
  documents(workspace: string, kind: 'calculated', topic: string): readonly Document[];
}
