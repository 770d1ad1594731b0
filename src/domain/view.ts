import type { Document } from './document.ts';
import { documentBody, factsOf, restOf } from './document-body.ts';

/** What people look at, kept for all of a workspace: streams of a topic, and how they are drawn. */
export interface View {
  readonly id: string;
  readonly name: string;
  readonly topic?: string;
  readonly streamIds?: readonly string[];
  /** JSON, as the client wrote it but for white space. */
  readonly state: string;
  /** Milliseconds since the Unix epoch, as is `updatedAt`. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

type Facts = Pick<View, 'name' | 'topic' | 'streamIds' | 'createdAt'>;

/** The body of a kept document of kind `view`. */
export function viewBody({ name, topic, streamIds, createdAt }: Facts, state: string): string {
  return documentBody({ name, topic, streamIds, createdAt }, state);
}

export function viewOf(item: Document): View {
  const facts = factsOf<Facts>(item);
  // A store may go by another clock than who made the view.
  const updatedAt = Math.max(item.updatedAt, facts.createdAt);
  return { ...facts, id: item.id, state: restOf(item), updatedAt };
}
