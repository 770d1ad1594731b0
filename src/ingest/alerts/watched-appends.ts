import type { ChosenBy } from '../../alerts/matching-stream.ts';
import { foldTopic } from '../../domain/topic.ts';
import { captureRows } from '../../live/capture.ts';
import type { Batch, Change, ServiceRegistry, StreamLookup } from '../../store/store.ts';
import type { Announcement } from '../announcement.ts';
import type { Alerts, DescribedStreams } from './alerts.ts';
import { createTurns } from './in-turn.ts';
import { streamKey } from './stream-key.ts';

type Append = (
  workspace: string,
  changes: Batch['changes'],
  announcements: readonly Announcement[],
  known: DescribedStreams,
  onCopied: (() => void) | undefined,
) => Promise<number>;

/** Writes of streams that rules watch, where other nodes write too. */
export interface WatchedAppends {
  /** As `commit`: the caller's arrays are copied at the call, unless `onCopied` is given. */
  (
    workspace: string,
    changes: Batch['changes'],
    announcements: readonly Announcement[],
    onCopied?: () => void,
  ): Promise<number>;
  /** Does something between the writes of a stream, once this node knows what others have written. */
  alone(topic: string, streamId: string, act: () => Promise<unknown> | undefined): Promise<void>;
}

/**
 * On this node the writes of a stream go one after the other: each begins with the states that all nodes had acknowledged,
 * and of a write that fails nothing is built on. What two nodes write to one stream at the same time begins with
 * the same states; then the same change is the same event.
 */
export function watchedAppends(
  catalog: Pick<ServiceRegistry, 'refresh'> & StreamLookup,
  alerts: Pick<Alerts, 'asked'>,
  append: Append,
  now: () => number = Date.now,
): WatchedAppends {
  const turns = createTurns();

  const describe = async (workspace: string, changes: Batch['changes']): Promise<DescribedStreams> => {
    const asked = alerts.asked(workspace, changes);
    const found = await Promise.all(
      asked.map(async ({ topic, streamId }): Promise<[string, ChosenBy | undefined]> => {
        const described = await catalog.describe(workspace, topic, streamId, now());
        return [streamKey(topic, streamId), described?.stream];
      }),
    );
    return new Map(found);
  };

  const write = async (
    workspace: string,
    changes: Batch['changes'],
    announcements: readonly Announcement[],
    onCopied: (() => void) | undefined,
  ): Promise<number> => {
    const turn = turns.enter(keysOf(changes));
    try {
      await turn.ready;
      await catalog.refresh();
      return await append(workspace, changes, announcements, await describe(workspace, changes), onCopied);
    } finally {
      turn.leave();
    }
  };

  return Object.assign(
    (...[workspace, changes, announcements, onCopied]: Parameters<WatchedAppends>): Promise<number> => {
      if (onCopied !== undefined) return write(workspace, changes, announcements, onCopied);
      const copies = changes.map(copyOf);
      const announcedCopies = announcements.map((one, i) => announcementOf(one, copies[i]));
      return write(workspace, copies, announcedCopies, undefined);
    },
    {
      async alone(topic: string, streamId: string, act: () => Promise<unknown> | undefined) {
        const turn = turns.enter([keyOf(topic, streamId)]);
        try {
          await turn.ready;
          await catalog.refresh();
          await act();
        } finally {
          turn.leave();
        }
      },
    },
  );
}

function keyOf(topic: string, streamId: string): string {
  return streamKey(foldTopic(topic), streamId);
}

function keysOf(changes: readonly Change[]): string[] {
  const keys = new Set<string>();
  for (const change of changes) if (change.type === 'rows') keys.add(keyOf(change.topic, change.streamId));
  return [...keys];
}

function copyOf(change: Change): Change {
  return change.type === 'rows' ? { ...change, rows: captureRows(change.rows, () => true) ?? [] } : change;
}

/** What is said has the order of the changes. */
function announcementOf(one: Announcement, change: Change | undefined): Announcement {
  if (one.content.type !== 'parameterData' || change?.type !== 'rows') return one;
  return { ...one, content: { ...one.content, rows: change.rows } };
}
