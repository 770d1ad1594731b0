import { noTags, type TagSet } from '../../domain/tags.ts';
import type { WireReader } from '../../protobuf/wire-reader.ts';
import type { OtlpPoints } from './points.ts';

/** Marks of the fields of a number: when it began, its time, itself, its attributes, its flags. */
const startMark = 0x11;
const timeMark = 0x19;
const doubleMark = 0x21;
const integerMark = 0x31;
const attributesMark = 0x3a;
const flagsMark = 0x40;

/** Reads points of gauges and sums that are as nearly all are: without exemplars, with attributes that are known. */
export class PlainPoints {
  readonly #reader: WireReader;
  readonly #points: OtlpPoints;

  constructor(reader: WireReader, points: OtlpPoints) {
    this.#reader = reader;
    this.#points = points;
  }

  /** True where the point in `[start, end)` was filled. Otherwise it is to be read field by field. */
  read(start: number, end: number): boolean {
    const { bytes } = this.#reader;
    const { point } = this.#points;
    point.clearNumber();
    let from = -1;
    let to = -1;
    let at = start;
    while (at < end) {
      const mark = bytes[at]!;
      if (mark === attributesMark) {
        // Attributes that stand apart are others than the bytes between them.
        if (from < 0) from = at;
        else if (at !== to) return false;
        const length = bytes[at + 1]!;
        if (length > 0x7f) return false;
        at += 2 + length;
        to = at;
      } else if (mark === flagsMark) {
        if (bytes[at + 1] !== 0) return false;
        at += 2;
      } else {
        if (at + 9 > end || !this.#eightBytes(mark, at + 1)) return false;
        at += 9;
      }
    }
    if (at !== end) return false;
    const tags = from < 0 ? noTags : this.#known(from, to);
    if (tags === undefined) return false;
    point.tags = tags;
    return true;
  }

  #eightBytes(mark: number, at: number): boolean {
    const { view } = this.#reader;
    const { point } = this.#points;
    if (mark === timeMark) {
      point.low = view.getUint32(at, true);
      point.high = view.getUint32(at + 4, true);
    } else if (mark === doubleMark) point.value = view.getFloat64(at, true);
    else if (mark === integerMark)
      point.value = point.integer(view.getUint32(at, true), view.getInt32(at + 4, true));
    else return mark === startMark;
    return true;
  }

  #known(from: number, to: number): TagSet | undefined {
    return this.#points.rules.known.find(this.#reader, from, to);
  }
}
