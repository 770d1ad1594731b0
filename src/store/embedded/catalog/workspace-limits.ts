import { entryOf } from '../../../domain/entry-of.ts';
import { PitwallError } from '../../../errors.ts';
import type { Batch, Change } from '../../store.ts';
import { streamName, TooManyStreams } from '../../too-many-streams.ts';
import type { HeadSlab } from '../log/head.ts';
import { type CatalogState, findStream } from './catalog-state.ts';

/** Holds workspaces to their limits. What is there stays readable; deletes make room. */
export interface WorkspaceLimits {
  /**
   * Throws `too_many_streams` or `workspace_full` (403) for a batch that may not be appended. Otherwise the streams
   * that it makes are counted until `done` is called, from when on the catalogue has them; undefined where nobody counts.
   */
  admit(batch: Batch): Admitted | undefined;
}

export interface Admitted {
  done(): void;
}

export interface WorkspaceLimitsOptions {
  readonly state: CatalogState;
  readonly heads: () => readonly HeadSlab[];
  /** Bytes that a workspace's rows take in parts; deleted ones do not count. */
  readonly partBytes: (workspace: string) => number;
}

export function workspaceLimits({ state, heads, partBytes }: WorkspaceLimitsOptions): WorkspaceLimits {
  /** Streams that batches under way make. */
  const coming = new Map<string, Set<string>>();
  const bytesInHead = headBytes(state);

  function checkBytes(workspace: string, limit: number): void {
    const used = heads().reduce((sum, head) => sum + bytesInHead(head, workspace), partBytes(workspace));
    if (used < limit) return;
    throw new PitwallError('workspace_full', {
      detail: `the rows of the workspace '${workspace}' take ${used} bytes, and it may have ${limit}; delete some first`,
    });
  }

  function newStreams({ workspace, changes }: Batch): Set<string> {
    const found = new Set<string>();
    for (const change of changes) {
      if (!makesStream(change)) continue;
      const { topic, streamId } = change;
      if (findStream(state, workspace, topic, streamId) === undefined) {
        found.add(streamName(topic, streamId));
      }
    }
    return found;
  }

  function countStreams(workspace: string): number {
    let count = 0;
    for (const { number } of state.topicsByName.get(workspace)?.values() ?? []) {
      count += state.streams.visibleIn(number);
    }
    return count;
  }

  return {
    admit(batch) {
      const { workspace, changes } = batch;
      const { maxBytes, maxStreams } = state.workspaces.get(workspace) ?? {};
      if (maxBytes !== undefined && changes.some(countsBytes)) {
        checkBytes(workspace, maxBytes);
      }
      if (maxStreams === undefined) return undefined;
      const others = entryOf(coming, workspace, () => new Set<string>());
      const made = newStreams(batch);
      for (const key of made) if (others.has(key)) made.delete(key);
      if (made.size > 0 && countStreams(workspace) + others.size + made.size > maxStreams) {
        throw new TooManyStreams(workspace, maxStreams, made);
      }
      for (const key of made) others.add(key);
      return {
        done() {
          for (const key of made) others.delete(key);
        },
      };
    },
  };
}

function makesStream(
  change: Change,
): change is Extract<Change, { readonly streamId: string }> & { readonly topic: string } {
  return 'streamId' in change && change.type !== 'close' && !isQuiet(change);
}

function countsBytes(change: Change): boolean {
  return change.type === 'rows' && !isQuiet(change);
}

/** What the service itself says of a stream. */
function isQuiet(change: Change): boolean {
  return 'quiet' in change && change.quiet === true;
}

/** Bytes of a workspace's rows in a slab, as they stand there; each section is looked at once. */
function headBytes(state: CatalogState): (head: HeadSlab, workspace: string) => number {
  const counts = new WeakMap<HeadSlab, { sections: number; readonly bytes: Map<string, number> }>();
  return (head, workspace) => {
    const count = counts.get(head) ?? { sections: 0, bytes: new Map<string, number>() };
    counts.set(head, count);
    for (; count.sections < head.count; count.sections++) {
      const word = head.index.sections[count.sections]! >> 2;
      const { u32 } = head.slab;
      const owner = state.topics[state.streams.topic(u32[word]!)]?.workspace;
      // The length of a section stands before its body.
      if (owner !== undefined) count.bytes.set(owner, (count.bytes.get(owner) ?? 0) + u32[word - 1]!);
    }
    return count.bytes.get(workspace) ?? 0;
  };
}
