/** Channels with times of their own: 100 rows each in a second, so that those of all lie between each other. */
export const load = { channels: 3000, rows: 100, base: 1_700_000_000_000_000_000n, asked: 1234 };

/** Nanoseconds from the base; no two channels share one. */
export function channelOffset(channel: number, row: number): number {
  return row * 10_000_000 + ((channel * 7919) % load.channels) * 3001;
}

export function channelValue(channel: number, row: number): number {
  return channel + row / 8;
}

/** What a process says that has read the channel `load.asked`. */
export interface Found {
  readonly offsets: readonly number[];
  readonly values: readonly number[];
  /** The most memory that it had. */
  readonly maxRssKiB: number;
}
