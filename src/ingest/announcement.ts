import type { LiveContent } from '../live/broker.ts';

/** What a request writes of one stream, as its readers get it. */
export interface Announcement {
  readonly topic: string;
  readonly streamId: string;
  readonly bytes: number;
  readonly content: LiveContent;
  /** As of a LivePackage. */
  readonly quiet?: boolean;
}
