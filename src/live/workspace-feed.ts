import type { Document } from '../domain/document.ts';
import type { Slices } from '../turns/slices.ts';
import type { AheadLimit } from './ahead-limit.ts';
import { type CalculatedFeed, calculatedFeed } from './calculated-feed.ts';
import type { LiveRoom } from './calculated-runs.ts';
import { captureRows } from './capture.ts';
import { type GapPause, type GapTeller, gapTeller } from './gap.ts';
import type { LiveContent } from './live-package.ts';
import { createPublishing, type Publishing } from './publishing.ts';
import type { PublishingRoom } from './publishing-room.ts';
import { type SubscriptionTree, subscriptionTree } from './subscription-tree.ts';

export interface WorkspaceFeedParts {
  /** The time that publishing has in each turn of the event loop. */
  readonly slices: Slices;
  /** Memory that all workspaces share, of packages that wait and of what calculated parameters look back on. */
  readonly room: PublishingRoom;
  readonly calculatedRoom: LiveRoom;
  /** How long its readers wait between two words of gaps. */
  readonly pauses: GapPause;
  readonly onGapTold: ((readers: number) => void) | undefined;
  /** The calculated parameters that a topic keeps. */
  readonly kept: (topic: string) => readonly Document[];
  /** How far rows may be ahead. */
  readonly ahead: AheadLimit;
}

/** The subscriptions of one workspace, and what is on its way to them: a workspace waits for its own packages only. */
export class WorkspaceFeed {
  readonly tree: SubscriptionTree;
  /** Tells its readers to come back. */
  readonly gap: GapTeller;
  readonly publishing: Publishing;
  readonly calculated: CalculatedFeed;

  constructor({ slices, room, calculatedRoom, pauses, onGapTold, kept, ahead }: WorkspaceFeedParts) {
    this.tree = subscriptionTree(slices);
    this.gap = gapTeller(this.tree.readers, onGapTold, pauses);
    this.publishing = createPublishing(slices, () => this.gap.missed(), room);
    this.calculated = calculatedFeed(this.tree, kept, calculatedRoom, ahead);
  }

  /** What of a content its readers want now, copied where the writer uses its arrays again; undefined where none does. */
  wantedOf(topic: string, streamId: string, content: LiveContent): LiveContent | undefined {
    if (this.tree.hasAny('packages', topic)) {
      return content.type === 'parameterData' ? withRows(captureRows(content.rows, () => true)) : content;
    }
    if (content.type === 'close' || content.type === 'stream') return undefined;
    if (!this.tree.hasAny(kindOf[content.type], topic, streamId)) return undefined;
    if (content.type !== 'parameterData') return content;
    const operands = this.calculated.operands(topic, streamId);
    const wanted = this.tree.parametersOf(topic, streamId);
    return withRows(captureRows(content.rows, (name) => operands.has(name) || wanted.has(name)));
  }

  close(): void {
    this.gap.close();
    this.publishing.close();
  }
}

/** The kind of subscription that a content is for, beside the one to packages. */
const kindOf = {
  parameterData: 'parameter',
  eventData: 'event',
  parameterDefinitions: 'parameterDefinitions',
  eventDefinitions: 'eventDefinitions',
} as const;

function withRows(rows: ReturnType<typeof captureRows>): LiveContent | undefined {
  return rows && { type: 'parameterData', rows };
}
