import {
  Binary,
  BinaryView,
  type Data,
  DataType,
  type Decimal,
  LargeBinary,
  type Struct,
  type TimeUnit,
  Vector,
} from 'apache-arrow';
import { mostElements } from '../mcap/place.ts';
import { dateText, spanText } from '../tables/cell-text.ts';
import { decimalCell } from '../tables/decimal-cell.ts';
import type { Cell, CellKind, SourceColumn } from '../tables/table-source.ts';

/** Gives the cell of a row of a batch. */
export type ReadCell = (row: number) => Cell;

/** A column of cells, which may be a field inside of a column of the file. */
export interface ArrowLeaf {
  readonly column: SourceColumn;
  /** The place of the column of the file. */
  readonly top: number;
  /** Reads a batch of it. */
  readonly open: (data: Data) => ReadCell;
}

/** How a field inside of a column is come to. */
type Step = (data: Data, open: (data: Data) => ReadCell) => ReadCell;

/** The columns of cells of a column: fields of structures have dots in their names, elements of fixed, short lists their numbers. */
export function leavesOfField(name: string, type: DataType, top: number): ArrowLeaf[] {
  return leavesAt(name, type, top, [], (data, open) => open(data));
}

function leavesAt(
  name: string,
  type: DataType,
  top: number,
  within: readonly string[],
  reach: Step,
): ArrowLeaf[] {
  if (DataType.isStruct(type)) {
    return (type as Struct).children.flatMap((field, i) =>
      leavesAt(`${name}.${field.name}`, field.type, top, [...within, name], (data, open) =>
        reach(data, (struct) => {
          const read = open(struct.children[i]!);
          return (row) => (struct.getValid(row) ? read(row) : null);
        }),
      ),
    );
  }
  if (DataType.isFixedSizeList(type) && type.listSize <= mostElements) {
    const { listSize } = type;
    return Array.from({ length: listSize }, (_, i) => i).flatMap((i) =>
      leavesAt(`${name}[${i}]`, type.children[0]!.type, top, [...within, name], (data, open) =>
        reach(data, (list) => {
          const read = open(list.children[0]!);
          return (row) => (list.getValid(row) ? read(row * listSize + i) : null);
        }),
      ),
    );
  }
  const kind = kindOf(type);
  const isFloat32 = DataType.isFloat(type) && type.precision === 1;
  const isNested = (type.children?.length ?? 0) > 0 && !DataType.isDictionary(type);
  const refusal = isNested ? { refusal: `is nested (${String(type)})` } : {};
  const column = {
    name,
    kind,
    within,
    type: String(type).toLowerCase(),
    ...(isFloat32 && { isFloat32 }),
    ...(isLocal(type) && { isLocal: true }),
    ...refusal,
  };
  return [{ column, top, open: (data) => reach(data, readerOf) }];
}

function isLocal(type: DataType): boolean {
  if (DataType.isDictionary(type)) return isLocal(type.dictionary as DataType);
  return DataType.isTimestamp(type) && !type.timezone;
}

function kindOf(type: DataType): CellKind {
  if (DataType.isDictionary(type)) return kindOf(type.dictionary as DataType);
  if (DataType.isTimestamp(type)) return type.unit === 3 ? 'ns-moment' : 'moment';
  if (DataType.isDuration(type)) return 'span';
  if (DataType.isTime(type)) return 'clock';
  return DataType.isDate(type) && type.unit === 1 ? 'moment' : 'plain';
}

const nsOfUnit: Readonly<Record<TimeUnit, bigint>> = { 0: 1_000_000_000n, 1: 1_000_000n, 2: 1000n, 3: 1n };

function readerOf(data: Data): ReadCell {
  const read = valueReader(data);
  return data.nullCount === 0 ? read : (row) => (data.getValid(row) ? read(row) : null);
}

function valueReader(data: Data): ReadCell {
  const type = data.type as DataType;
  if (DataType.isNull(type)) return () => null;
  if (DataType.isDictionary(type)) {
    const entries = (data.dictionary as Vector).data.flatMap((one) => {
      const read = readerOf(one);
      return Array.from({ length: one.length }, (_, i) => read(i));
    });
    const indices = data.values as ArrayLike<number | bigint>;
    return (row) => entries[Number(indices[row])] ?? null;
  }
  const numbers = data.values as Int32Array;
  const wholes = data.values as BigInt64Array;
  if (DataType.isTimestamp(type) || DataType.isDuration(type)) {
    const unit = nsOfUnit[type.unit];
    return (row) => wholes[row]! * unit;
  }
  if (DataType.isTime(type)) {
    const unit = nsOfUnit[type.unit];
    return type.bitWidth === 32 ? (row) => BigInt(numbers[row]!) * unit : (row) => wholes[row]! * unit;
  }
  if (DataType.isDate(type))
    return type.unit === 0 ? (row) => dateText(numbers[row]!) : (row) => BigInt(wholes[row]!) * 1_000_000n;
  if (DataType.isDecimal(type)) return decimalReader(type, data.values as Uint32Array);
  if (DataType.isInterval(type)) return intervalReader(type.unit, numbers);
  if (DataType.isInt(type)) {
    const values = data.values as ArrayLike<number | bigint>;
    return (row) => values[row]!;
  }
  const bytes = bytesOfText(type);
  if (bytes !== undefined) return textReader(new Vector([data.clone(bytes)]));
  const vector = new Vector([data]);
  if (DataType.isBool(type)) return (row) => (vector.get(row) === true ? 1 : 0);
  return (row) => vector.get(row) as Cell;
}

/** The type of the bytes of texts; undefined for what is no text. */
function bytesOfText(type: DataType): DataType | undefined {
  if (DataType.isUtf8(type)) return new Binary();
  if (DataType.isLargeUtf8(type)) return new LargeBinary();
  return DataType.isUtf8View(type) ? new BinaryView() : undefined;
}

/** The library's own reader drops a byte order mark, and puts U+FFFD for what is no UTF-8. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textReader(texts: Vector): ReadCell {
  return (row) => {
    const bytes = texts.get(row) as Uint8Array | null;
    return bytes && decoder.decode(bytes);
  };
}

/** Words of 32 bits, the lowest first. */
function decimalReader({ scale, bitWidth }: Decimal, words: Uint32Array): ReadCell {
  const width = bitWidth / 32;
  return (row) => {
    let unscaled = 0n;
    for (let i = width - 1; i >= 0; i--) unscaled = (unscaled << 32n) | BigInt(words[row * width + i]! >>> 0);
    unscaled = BigInt.asIntN(bitWidth, unscaled);
    return scale === 0 ? unscaled : decimalCell(unscaled, scale);
  };
}

/** Months; days and milliseconds; or months, days and 64 bits of nanoseconds. */
function intervalReader(unit: number, words: Int32Array): ReadCell {
  if (unit === 0) return (row) => spanText(words[row]!, 0, 0n);
  if (unit === 1) return (row) => spanText(0, words[2 * row]!, BigInt(words[2 * row + 1]!) * 1_000_000n);
  return (row) => {
    const at = 4 * row;
    const nanos = (BigInt(words[at + 3]!) << 32n) | BigInt(words[at + 2]! >>> 0);
    return spanText(words[at]!, words[at + 1]!, nanos);
  };
}
