import type { LiveContent } from '../live/broker.ts';

/** What a request says of one stream, for its readers. */
export interface Said {
  readonly topic: string;
  readonly streamId: string;
  readonly bytes: number;
  readonly content: LiveContent;
  /** As of a LivePackage. */
  readonly quiet?: boolean;
}
