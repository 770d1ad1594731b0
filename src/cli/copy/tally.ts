import type { StreamInfo } from '../../client/models.ts';
import type { Progress } from '../progress.ts';

/** What of a stream was copied just now. */
export interface CopiedNow {
  readonly rows?: number;
  readonly events?: number;
  /** Rows and events that were older than the retention of their topic in the target. */
  readonly expired?: number;
  /** Of the text in which rows came. */
  readonly bytes?: number;
}

/** Counts what is copied, and tells how far that is. */
export class Tally {
  rows = 0;
  events = 0;
  expired = 0;
  workspace = '';
  #bytes = 0;
  #streams = 0;
  readonly #all: number;
  readonly #progress: Progress;
  /** From 0 to 1, of streams that are being copied. */
  readonly #parts = new Map<StreamInfo, number>();

  /** @param all how many streams there are */
  constructor(all: number, progress: Progress) {
    this.#all = all;
    this.#progress = progress;
  }

  /** @param part of the stream that is copied now, from 0 to 1, as far as its times tell */
  copied(
    { rows = 0, events = 0, expired = 0, bytes = 0 }: CopiedNow,
    stream: StreamInfo,
    part: number,
  ): void {
    this.rows += rows;
    this.events += events;
    this.expired += expired;
    this.#bytes += bytes;
    this.#parts.set(stream, part);
    this.#tell();
  }

  ended(streams: Iterable<StreamInfo>): void {
    for (const stream of streams) {
      this.#streams++;
      this.#parts.delete(stream);
    }
    this.#tell();
  }

  #tell(): void {
    let whole = this.#streams;
    for (const part of this.#parts.values()) whole += part;
    this.#progress.at(
      this.#all === 0 ? 1 : whole / this.#all,
      `workspace ${this.workspace}: ${this.#streams} of ${this.#all} streams, ${this.rows} rows, ${this.events} events, ${(this.#bytes / 1e6).toFixed(1)} MB`,
    );
  }
}
