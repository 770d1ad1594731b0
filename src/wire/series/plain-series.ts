import type { WireReader } from '../../protobuf/wire-reader.ts';
import type { KnownSeries } from './known-series.ts';
import type { SeriesRows } from './series-rows.ts';

/** Longer series are read in steps. */
const longest = 64 * 1024;

/** Marks of fields: labels and samples of a series, value and time of a sample. */
const labelMark = 0x0a;
const sampleMark = 0x12;
const valueMark = 0x09;
const timeMark = 0x10;

/**
 * Reads series of version 1 that are as nearly all are: their labels, which are known, then their samples, and nothing else.
 */
export class PlainSeries {
  readonly #reader: WireReader;
  readonly #known: KnownSeries;
  readonly #rows: SeriesRows;
  /** How many were taken. */
  values = 0;

  constructor(reader: WireReader, known: KnownSeries, rows: SeriesRows) {
    this.#reader = reader;
    this.#known = known;
    this.#rows = rows;
  }

  /** True where the series in `[start, end)` was taken. Otherwise nothing was, and it is to be read field by field. */
  take(start: number, end: number): boolean {
    if (end - start > longest) return false;
    const samples = this.#endOfLabels(start, end);
    const series = samples > start ? this.#known.find(this.#reader, start, samples) : undefined;
    if (series === undefined) return false;
    const before = this.#rows.count;
    if (this.#addSamples(samples, end)) {
      if (samples < end) this.#rows.put(series);
      this.values += this.#rows.count - before;
      return true;
    }
    this.#rows.drop();
    return false;
  }

  /** Where the first field stands that is no label; -1 where that is not to be seen. */
  #endOfLabels(start: number, end: number): number {
    const { bytes } = this.#reader;
    let at = start;
    while (at < end && bytes[at] === labelMark) {
      let length = bytes[at + 1]!;
      at += 2;
      if (length > 0x7f) {
        const high = bytes[at++]!;
        if (high > 0x7f) return -1;
        length += (high - 1) * 128;
      }
      at += length;
    }
    return at > end ? -1 : at;
  }

  #addSamples(start: number, end: number): boolean {
    const { bytes, view } = this.#reader;
    const rows = this.#rows;
    for (let at = start; at < end; ) {
      const length = bytes[at + 1]!;
      if (bytes[at] !== sampleMark || length > 0x7f || at + 2 + length > end) return false;
      at += 2;
      const after = at + length;
      let value = 0;
      // A zero need not be written.
      if (bytes[at] === valueMark && length > 8) {
        value = view.getFloat64(at + 1, true);
        // It may be a stale mark.
        if (Number.isNaN(value)) return false;
        at += 9;
      }
      const ms = after - at === 7 && bytes[at] === timeMark ? this.#sixBytes(at + 1) : -1;
      if (ms < 0) return false;
      rows.add(ms, 0, value);
      at = after;
    }
    return true;
  }

  /** A time of six bytes; -1 for another number. */
  #sixBytes(at: number): number {
    const { bytes, view } = this.#reader;
    const first = view.getInt32(at, true);
    const fifth = bytes[at + 4]!;
    const last = bytes[at + 5]!;
    if ((first & continued) !== continued || fifth < 0x80 || last > 0x7f) return -1;
    const low =
      (first & 0x7f) | ((first >> 1) & 0x3f80) | ((first >> 2) & 0x1fc000) | ((first >> 3) & 0xfe00000);
    return low + ((fifth & 0x7f) | (last << 7)) * 2 ** 28;
  }
}

/** The bits of four bytes of a number that say that it goes on. */
const continued = 0x80808080 | 0;
