import type { NewParameterData, ParameterData } from './models.ts';

/** Parameter data as JSON has it: digits as strings, words for what JSON has no number for, base64. */
export interface WireParameterData {
  readonly timestamps: readonly (string | number)[];
  readonly numericValues?: Readonly<Record<string, readonly (number | string | null)[]>> | null;
  readonly stringValues?: Readonly<Record<string, readonly (string | null)[]>> | null;
  readonly binaryValues?: Readonly<Record<string, readonly (string | null)[]>> | null;
  readonly tagValues?: Readonly<Record<string, readonly (string | null)[]>> | null;
}

export function decodeParameterData(wire: WireParameterData): ParameterData {
  return {
    timestamps: wire.timestamps.map((time) => BigInt(time)),
    numericValues: mapColumns(wire.numericValues ?? {}, numbersOf),
    stringValues: wire.stringValues ?? {},
    binaryValues: mapColumns(wire.binaryValues ?? {}, (column) =>
      column.map((text) => (text === null ? null : bytesOf(text))),
    ),
    tagValues: wire.tagValues ?? {},
  };
}

/** Throws a TypeError where the values have no names, as in a Map, of which JSON has none. */
export function checkNamed(what: string, values: unknown): void {
  const kind = Object.prototype.toString.call(values);
  if (values !== undefined && values !== null && kind !== '[object Object]')
    throw new TypeError(`${what} is an object of names and values, not ${kind.slice(8, -1)}`);
}

export function encodeParameterData(data: NewParameterData): object {
  const { numericValues, binaryValues, ...rest } = data;
  for (const group of groups) checkNamed(group, data[group]);
  return {
    ...rest,
    ...(numericValues && { numericValues: mapColumns(numericValues, (column) => column.map(wordOf)) }),
    ...(binaryValues && {
      binaryValues: mapColumns(binaryValues, (column) =>
        column.map((bytes) => (bytes === null ? null : textOf(bytes))),
      ),
    }),
  };
}

const groups = ['numericValues', 'stringValues', 'binaryValues', 'tagValues'] as const;

function mapColumns<In, Out>(
  columns: Readonly<Record<string, In>>,
  convert: (column: In) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, convert(column)]));
}

/** Nearly every column is numbers alone and is kept as it is. */
function numbersOf(column: readonly (number | string | null)[]): readonly (number | null)[] {
  const hasWords = column.some((value) => typeof value === 'string');
  if (!hasWords) return column as readonly (number | null)[];
  return column.map((value) => (typeof value === 'string' ? Number(value) : value));
}

/** NaN and the infinities, which JSON has no numbers for. Throws a TypeError for a bigint, which would be a string in it. */
function wordOf(value: number | null): number | string | null {
  if (typeof value === 'bigint') throw new TypeError(`a numeric value is a number, not the bigint ${value}`);
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}

export function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

const byteArrays: readonly string[] = ['[object Uint8Array]', '[object Uint8ClampedArray]'];

/** The most arguments of one call of a function. */
const sliceBytes = 8192;

/** Throws a TypeError for what is no array of bytes, such as an ArrayBuffer, which would be an empty binary. */
export function textOf(bytes: Uint8Array): string {
  const kind = Object.prototype.toString.call(bytes);
  if (!byteArrays.includes(kind)) throw new TypeError(`a binary is a Uint8Array, not ${kind.slice(8, -1)}`);
  let text = '';
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    text += String.fromCharCode(...bytes.subarray(at, at + sliceBytes));
  }
  return btoa(text);
}
