import { crc32 } from 'node:zlib';
import { Kind } from '../../../domain/parameter-data.ts';
import type { ColumnValues } from '../../../query/runs/rows-to-aggregate.ts';
import type { StoredColumn, StoredRows } from '../../../query/states/stored-rows.ts';
import { ByteReader } from '../codecs/byte-reader.ts';
import { decodeValues } from '../codecs/column-codec.ts';
import { decodeNumbers } from '../codecs/number-codec.ts';
import { PresenceForm } from '../codecs/presence-codec.ts';
import type { RowTags } from '../codecs/tags-codec.ts';
import { decodeTags } from '../codecs/tags-codec.ts';
import { decodeTimes, regularStep, TimesForm } from '../codecs/times-codec.ts';
import { decodeStored } from '../files/damage.ts';
import { windowStart } from '../rows/windows.ts';
import { type Batch, smallRows as mostRows } from './small-groups.ts';

/** Bits of the first byte of a group (row-group-codec.ts). */
const timesBit = 1;
const apartBit = 8;

/**
 * The rows of one small row group after another, in the form in which aggregations take them. Nothing is made for a group
 * but what is decoded of it, for a read of very many streams has as many groups. What it gives is valid until the next
 * one is opened.
 */
export class SmallRows implements StoredRows {
  count = 0;
  base = 0n;
  first = 0;
  last = 0;
  from = 0;
  to = 0;
  readonly hidden = [];
  step: number | undefined;
  readonly columns: (SmallColumn | undefined)[];
  readonly #all: readonly (SmallColumn | undefined)[];
  #batch: Batch | undefined;
  #view: DataView = new DataView(new ArrayBuffer(0));
  /** Where the open group begins in the bytes of the batch. */
  #start = 0;
  #headLength = 0;
  #timesForm: TimesForm = TimesForm.Regular;
  #tagsForm = 0;
  /** Where the times, the tags and the columns of the open group begin in the bytes of the batch. */
  #timesAt = 0;
  #tagsAt = 0;
  #columnsAt = 0;
  readonly #offsets = new Float64Array(mostRows);
  #hasOffsets = false;

  /** @param parameters by number, aligned with those of the plan */
  constructor(parameters: readonly (number | undefined)[]) {
    this.#all = parameters.map((number) =>
      number === undefined ? undefined : new SmallColumn(this, number),
    );
    this.columns = this.#all.map(() => undefined);
  }

  /** What is opened from now on is of this batch. */
  begin(batch: Batch): void {
    const { part, bytes } = batch;
    this.#batch = batch;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.base = windowStart(part.window);
    this.from = part.inside.first;
    this.to = part.inside.last;
  }

  /**
   * Opens a group of the batch. False where its columns stand after its head, or where no wanted one has a value in every
   * row. Throws DamagedError.
   */
  open(item: number): boolean {
    const { part, groups, starts } = this.#batch!;
    const { rows, minOffsets, maxOffsets, headLengths } = part.indexed.kept.index.groups;
    const group = groups[item]!;
    this.#start = starts[item]!;
    this.#headLength = headLengths[group]!;
    this.count = rows[group]!;
    this.first = minOffsets[group]!;
    this.last = maxOffsets[group]!;
    this.#hasOffsets = false;
    return this.stored(() => this.#openHead());
  }

  // Called without this object, too.
  readonly offsetOf = (row: number): number => {
    if (row === 0) return this.first;
    if (this.step !== undefined) return this.first + row * this.step;
    return row === this.count - 1 ? this.last : this.offsets()[row]!;
  };

  readonly offsets = (): Float64Array => {
    const { count, first, last } = this;
    if (!this.#hasOffsets) {
      this.stored(() => {
        const reader = this.reader(this.#timesAt, this.#tagsAt);
        decodeTimes(reader, this.#timesForm, count, first, last, this.#offsets);
      });
    }
    this.#hasOffsets = true;
    return this.#offsets;
  };

  readonly tags = (): RowTags =>
    this.stored(() => decodeTags(this.reader(this.#tagsAt, this.#columnsAt), this.#tagsForm, this.count));

  /** Whatever is thrown means that the bytes of the open group are not what was written. */
  stored<T>(decode: () => T): T {
    const { part, position } = this.#batch!;
    const from = position + this.#start;
    const { name } = part.indexed.reader.file;
    return decodeStored(name, from, from + this.#headLength, 'a small row group', decode);
  }

  /** A reader of the bytes [start, end) of the batch. */
  reader(start: number, end: number): ByteReader {
    return new ByteReader(this.#batch!.bytes, start, end, this.#view);
  }

  #openHead(): boolean {
    const start = this.#start;
    const end = start + this.#headLength - 4;
    if (crc32(this.#batch!.bytes.subarray(start, end)) !== this.#view.getUint32(end, true))
      throw new RangeError('the checksum does not match');
    const reader = this.reader(start, end);
    const forms = reader.byte();
    if ((forms & apartBit) !== 0) return false;
    this.#timesForm = (forms & timesBit) as TimesForm;
    this.#tagsForm = (forms >> 1) & 3;
    const timesLength = this.#timesForm === TimesForm.Regular ? 0 : reader.varint();
    const tagsLength = this.#tagsForm === 0 ? 0 : reader.varint();
    const { length, isDense } = this.#openColumns(reader);
    this.#timesAt = reader.skip(timesLength);
    this.#tagsAt = reader.skip(tagsLength);
    this.#columnsAt = reader.position;
    if (reader.position + length !== end) throw new RangeError('the lengths do not add up');
    for (const column of this.columns) column?.place(reader.position);
    this.step =
      this.#timesForm === TimesForm.Regular ? regularStep(this.count, this.first, this.last) : undefined;
    return isDense;
  }

  /** Reads the directory; gives the bytes of all columns, and whether a wanted one has a value in every row. */
  #openColumns(reader: ByteReader): { readonly length: number; readonly isDense: boolean } {
    const all = this.#all;
    for (let i = 0; i < all.length; i++) this.columns[i] = undefined;
    let [parameter, length] = [0, 0];
    let isDense = false;
    const columns = reader.varint();
    for (let left = columns; left > 0; left--) {
      parameter += reader.varint();
      const forms = reader.byte();
      const presenceForm = forms >> 2;
      const present = presenceForm === PresenceForm.All ? this.count : reader.varint();
      const bytes = reader.varint();
      for (let i = 0; i < all.length; i++) {
        const column = all[i];
        if (column?.parameter !== parameter) continue;
        column.describe((forms & 3) as Kind, presenceForm, present, length, bytes);
        this.columns[i] = column;
        isDense ||= column.isDense;
      }
      length += bytes;
    }
    return { length, isDense };
  }
}

/** A wanted column of the open group. It has too few rows for statistics. */
class SmallColumn implements StoredColumn {
  readonly parameter: number;
  kind: Kind = Kind.Numeric;
  presenceForm = 0;
  present = 0;
  isDense = true;
  isNumeric = true;
  readonly #rows: SmallRows;
  #start = 0;
  #length = 0;
  readonly #values = new Float64Array(mostRows);

  constructor(rows: SmallRows, parameter: number) {
    this.#rows = rows;
    this.parameter = parameter;
  }

  describe(kind: Kind, presenceForm: number, present: number, start: number, length: number): void {
    this.kind = kind;
    this.presenceForm = presenceForm;
    this.present = present;
    this.isDense = presenceForm === PresenceForm.All;
    this.isNumeric = kind === Kind.Numeric;
    this.#start = start;
    this.#length = length;
  }

  /** Where the columns begin in the bytes of the batch. */
  place(columnsAt: number): void {
    this.#start += columnsAt;
  }

  decode(into: Float64Array = this.#values): ColumnValues {
    return this.#rows.stored(() => {
      const reader = this.#rows.reader(this.#start, this.#start + this.#length);
      const values = decodeValues(reader, this, this.#rows.count, into);
      if (reader.position !== reader.end) throw new RangeError('bytes are left over');
      return values;
    });
  }

  statistics(): undefined {
    return undefined;
  }

  sumRuns(): boolean {
    return false;
  }

  decodeFrames() {
    return this.#rows.stored(() => {
      const reader = this.#rows.reader(this.#start, this.#start + this.#length);
      return { values: decodeNumbers(reader, this.present, this.#values), present: undefined };
    });
  }
}
