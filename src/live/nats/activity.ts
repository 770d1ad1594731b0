import { foldTopic } from '../../domain/topic.ts';
import { type ActiveStreams, activeStreams } from '../active-streams.ts';
import type { LivePackage } from '../live-package.ts';

/** What was written to one topic through one node since it last told: `Heartbeat` carries it. */
export interface TopicActivity {
  readonly workspace: string;
  /** As it was written. */
  readonly topic: string;
  readonly bytes: number;
  /** Streams that were written to, and streams that ended; the last of both for each. */
  readonly touched: readonly string[];
  readonly ended: readonly string[];
}

/** Collects what this node tells the others once a second. */
export interface Activity {
  written(written: Pick<LivePackage, 'workspace' | 'topic' | 'streamId' | 'bytes' | 'ends'>): void;
  /** What has happened since the last call; with `all` every stream that is active through this node. */
  take(all: boolean): TopicActivity[];
}

interface Topic {
  readonly workspace: string;
  readonly topic: string;
  bytes: number;
  readonly changes: Map<string, 'touched' | 'ended'>;
  readonly active: ActiveStreams;
}

export function createActivity(interruptedAfterMs: number, now: () => number): Activity {
  const topics = new Map<string, Topic>();

  function topicOf(workspace: string, topic: string): Topic {
    const key = JSON.stringify([workspace, foldTopic(topic)]);
    let known = topics.get(key);
    if (known === undefined) {
      known = { workspace, topic, bytes: 0, changes: new Map(), active: activeStreams() };
      topics.set(key, known);
    }
    return known;
  }

  return {
    written({ workspace, topic, streamId, bytes, ends }) {
      const known = topicOf(workspace, topic);
      known.bytes += bytes;
      known.changes.set(streamId, ends ? 'ended' : 'touched');
      if (ends) known.active.end(streamId);
      else known.active.touch(streamId, now());
    },

    take(all) {
      const found: TopicActivity[] = [];
      for (const [key, known] of topics) {
        const { workspace, topic, bytes, changes, active } = known;
        active.silent(now(), interruptedAfterMs);
        const ended = [...changes].filter(([, change]) => change === 'ended').map(([id]) => id);
        const touched = all
          ? [...active.ids()]
          : [...changes].filter(([, change]) => change === 'touched').map(([id]) => id);
        changes.clear();
        known.bytes = 0;
        if (touched.length + ended.length > 0) found.push({ workspace, topic, bytes, touched, ended });
        if (active.count() === 0) topics.delete(key);
      }
      return found;
    },
  };
}
