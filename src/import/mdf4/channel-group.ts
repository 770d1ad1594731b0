import type { ChannelOfGroup } from './channels.ts';
import type { Master } from './master.ts';
import type { DataLayout, RecordLayout } from './records.ts';

/** A channel group of which rows are read. */
export interface GroupOfFile {
  readonly layout: RecordLayout;
  readonly master: Master;
  readonly channels: readonly ChannelOfGroup[];
  /** Of the recording, ns since the Unix epoch. */
  readonly start: bigint;
}

/** A data group: how its bytes stand, and what is read of them. */
export interface DataGroup {
  readonly data: DataLayout;
  readonly groups: readonly GroupOfFile[];
}

export interface GroupRow<Value> {
  readonly group: GroupOfFile;
  readonly time: bigint;
  readonly values: readonly Value[];
}
