import type { SchemaElement } from 'hyparquet';
import { dateText, spanText } from '../tables/cell-text.ts';
import { decimalCell, signedOf } from '../tables/decimal-cell.ts';
import type { Cell, CellKind } from '../tables/table-source.ts';
import type { ArrowType } from './arrow-types.ts';

/** What a column of a Parquet file holds, and how its values become cells. */
export interface LeafType {
  readonly kind: CellKind;
  /** In words: `TIMESTAMP(MILLIS)`. */
  readonly type: string;
  readonly isFloat32?: boolean;
  /** Whether it has whole numbers of 32 bits or less without a sign. */
  readonly isUint32?: boolean;
  /** Whether its moments are not said to be UTC. */
  readonly isLocal?: boolean;
  /** The element as the library shall take it: what it would round or refuse is left as it is stored. */
  readonly element: SchemaElement;
  /** Undefined where values are cells already. */
  readonly convert: ((value: unknown) => Cell) | undefined;
  readonly refusal?: string;
}

const nsOfUnit = { SECONDS: 1_000_000_000n, MILLIS: 1_000_000n, MICROS: 1000n, NANOS: 1n } as const;
type Unit = keyof typeof nsOfUnit;

/** @param arrow what the schema of an Arrow writer says of the column, which the types of Parquet may not */
export function leafType(element: SchemaElement, arrow: ArrowType | undefined): LeafType {
  const { type, converted_type: converted, logical_type: logical } = element;
  const { converted_type: _, logical_type: __, ...stored } = element;
  const plain = { kind: 'plain', type: type ?? '', element: stored } as const;
  const scaled = (kind: CellKind, unit: Unit, words: string): LeafType => ({
    ...{ kind, type: words, element: stored },
    convert:
      unit === 'NANOS' && type === 'INT64'
        ? undefined
        : (value) => BigInt(value as bigint | number) * nsOfUnit[unit],
  });
  if (logical?.type === 'NULL') return { ...plain, type: 'NULL', convert: () => null };
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL') {
    const scale = element.scale ?? (logical?.type === 'DECIMAL' ? logical.scale : 0);
    return {
      ...plain,
      type: 'DECIMAL',
      convert: (value) => decimalOf(value as Uint8Array | bigint | number, scale),
    };
  }
  if (type === 'INT96') return { ...plain, kind: 'ns-moment', type, convert: undefined, isLocal: true };
  if (logical?.type === 'TIMESTAMP' || converted?.startsWith('TIMESTAMP_') === true) {
    const unit = logical?.type === 'TIMESTAMP' ? logical.unit : (converted!.slice(10) as Unit);
    const isLocal = logical?.type === 'TIMESTAMP' && !logical.isAdjustedToUTC;
    return { ...scaled(unit === 'NANOS' ? 'ns-moment' : 'moment', unit, `TIMESTAMP(${unit})`), isLocal };
  }
  if (logical?.type === 'TIME' || converted?.startsWith('TIME_') === true) {
    const unit = logical?.type === 'TIME' ? logical.unit : (converted!.slice(5) as Unit);
    // Arrow's writers call all their clocks adjusted to UTC.
    const isUtc = logical?.type === 'TIME' && logical.isAdjustedToUTC && arrow?.name !== 'clock';
    return scaled(isUtc ? 'utc-clock' : 'clock', unit, `TIME(${unit})`);
  }
  if (converted === 'INTERVAL') return intervalType(stored);
  if (converted === 'DATE' || logical?.type === 'DATE')
    return { ...plain, type: 'DATE', convert: (value) => dateText(Number(value)) };
  const isText =
    ['UTF8', 'ENUM', 'JSON'].includes(converted ?? '') ||
    ['STRING', 'ENUM', 'JSON'].includes(logical?.type ?? '');
  if (isText && type === 'BYTE_ARRAY')
    return { ...plain, type: 'STRING', element: { ...stored, converted_type: 'UTF8' }, convert: undefined };
  if (logical?.type === 'UUID' || logical?.type === 'FLOAT16')
    return {
      ...plain,
      type: logical.type,
      element: { ...stored, logical_type: logical },
      convert: undefined,
    };
  if (converted?.startsWith('UINT_') === true || (logical?.type === 'INTEGER' && !logical.isSigned)) {
    if (type === 'INT64')
      return { ...plain, convert: (value) => BigInt.asUintN(64, BigInt(value as bigint | number)) };
    return {
      ...plain,
      isUint32: true,
      convert: (value) =>
        typeof value === 'bigint' ? Number(BigInt.asUintN(32, value)) : Number(value) >>> 0,
    };
  }
  if (type === 'BOOLEAN') return { ...plain, convert: (value) => (value === true ? 1 : 0) };
  if (type === 'FLOAT') return { ...plain, isFloat32: true, convert: undefined };
  if (
    arrow !== undefined &&
    (type === 'INT64' || type === 'INT32') &&
    converted === undefined &&
    logical === undefined
  )
    return { ...scaled(arrow.name, arrow.unit, arrow.text), isLocal: arrow.isLocal === true };
  return { ...plain, convert: undefined };
}

function decimalOf(value: Uint8Array | bigint | number, scale: number): Cell {
  const unscaled = value instanceof Uint8Array ? signedOf(value) : BigInt(value);
  return scale === 0 ? unscaled : decimalCell(unscaled, scale);
}

/** Twelve bytes: uint32 months, days and milliseconds, the lowest byte first. */
function intervalType(stored: SchemaElement): LeafType {
  const type = { kind: 'plain', type: 'INTERVAL', element: stored } as const;
  if (stored.type !== 'FIXED_LEN_BYTE_ARRAY' || stored.type_length !== 12)
    return { ...type, convert: undefined, refusal: `is an INTERVAL of ${stored.type} and cannot be read` };
  return {
    ...type,
    convert(value) {
      const bytes = value as Uint8Array;
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const [months, days, millis] = [0, 4, 8].map((at) => view.getInt32(at, true)) as [
        number,
        number,
        number,
      ];
      return spanText(months, days, BigInt(millis) * 1_000_000n);
    },
  };
}
