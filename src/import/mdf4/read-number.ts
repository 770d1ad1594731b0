/** Reads the raw number of a channel out of a record. */
export type ReadNumber = (record: DataView) => number;

/** Where a channel stands in a record, and as what. */
export interface Place {
  /** 0 and 1 unsigned, 2 and 3 signed, 4 and 5 floating; odd ones with the most significant byte first. Others are no numbers. */
  readonly type: number;
  readonly byteOffset: number;
  readonly bitOffset: number;
  readonly bits: number;
}

/** Undefined where it is no number of at most 64 bits. Numbers of more than 53 bits are rounded to doubles. */
export function numberReader(place: Place): ReadNumber | undefined {
  const { type, byteOffset, bitOffset, bits } = place;
  const isLittle = type % 2 === 0;
  if (type === 4 || type === 5) {
    if (bitOffset !== 0) return undefined;
    if (bits === 16) return (record) => halfFloat(record.getUint16(byteOffset, isLittle));
    if (bits === 32) return (record) => record.getFloat32(byteOffset, isLittle);
    if (bits === 64) return (record) => record.getFloat64(byteOffset, isLittle);
    return undefined;
  }
  const isSigned = type >= 2;
  if (type <= 3 && bitOffset === 0 && bits === 8) {
    return isSigned ? (record) => record.getInt8(byteOffset) : (record) => record.getUint8(byteOffset);
  }
  if (type <= 3 && bitOffset === 0 && bits === 16) {
    return isSigned
      ? (record) => record.getInt16(byteOffset, isLittle)
      : (record) => record.getUint16(byteOffset, isLittle);
  }
  if (type <= 3 && bitOffset === 0 && bits === 32) {
    return isSigned
      ? (record) => record.getInt32(byteOffset, isLittle)
      : (record) => record.getUint32(byteOffset, isLittle);
  }
  const exact = integerReader(place);
  return exact && ((record) => Number(exact(record)));
}

/** Whole numbers of up to 64 bits, with all their digits; undefined for others. */
export function integerReader({
  type,
  byteOffset,
  bitOffset,
  bits,
}: Place): ((record: DataView) => bigint) | undefined {
  if (type > 3 || bits < 1 || bits > 64 || bitOffset > 7) return undefined;
  const isLittle = type % 2 === 0;
  const isSigned = type >= 2;
  if (bitOffset === 0 && bits === 64) {
    return isSigned
      ? (record) => record.getBigInt64(byteOffset, isLittle)
      : (record) => record.getBigUint64(byteOffset, isLittle);
  }
  const bytes = bytesOf({ bitOffset, bits });
  return (record) => {
    let all = 0n;
    for (let i = 0; i < bytes; i++) {
      all = (all << 8n) | BigInt(record.getUint8(byteOffset + (isLittle ? bytes - 1 - i : i)));
    }
    const raw = all >> BigInt(bitOffset);
    return isSigned ? BigInt.asIntN(bits, raw) : BigInt.asUintN(bits, raw);
  };
}

/** Returns the bytes that a channel touches. */
export function bytesOf({ bitOffset, bits }: Pick<Place, 'bitOffset' | 'bits'>): number {
  return Math.floor((bitOffset + bits + 7) / 8);
}

/** Of IEEE 754: a sign, five bits of exponent, ten of fraction. */
function halfFloat(bits: number): number {
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}
