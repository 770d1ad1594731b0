/** Reads the raw number of a channel out of a record. */
export type ReadNumber = (record: DataView) => number;

/** Where a channel stands in a record, and as what. */
export interface NumberPlace {
  /** 0 and 1 unsigned, 2 and 3 signed, 4 and 5 floating; odd ones with the most significant byte first. */
  readonly type: number;
  readonly byteOffset: number;
  readonly bitOffset: number;
  readonly bits: number;
}

/** Undefined where it is no number of at most 64 bits. Numbers of more than 53 bits are rounded to doubles. */
export function numberReader({ type, byteOffset, bitOffset, bits }: NumberPlace): ReadNumber | undefined {
  const isLittle = type % 2 === 0;
  if (type === 4 || type === 5) {
    if (bitOffset !== 0) return undefined;
    if (bits === 32) return (record) => record.getFloat32(byteOffset, isLittle);
    if (bits === 64) return (record) => record.getFloat64(byteOffset, isLittle);
    return undefined;
  }
  if (type > 3 || bits < 1 || bits > 64 || bitOffset > 7) return undefined;
  const isSigned = type >= 2;
  if (bitOffset === 0 && bits === 8) {
    return isSigned ? (record) => record.getInt8(byteOffset) : (record) => record.getUint8(byteOffset);
  }
  if (bitOffset === 0 && bits === 16) {
    return isSigned
      ? (record) => record.getInt16(byteOffset, isLittle)
      : (record) => record.getUint16(byteOffset, isLittle);
  }
  if (bitOffset === 0 && bits === 32) {
    return isSigned
      ? (record) => record.getInt32(byteOffset, isLittle)
      : (record) => record.getUint32(byteOffset, isLittle);
  }
  const bytes = bytesOfNumber(bitOffset, bits);
  return (record) => {
    let all = 0n;
    for (let i = 0; i < bytes; i++) {
      all = (all << 8n) | BigInt(record.getUint8(byteOffset + (isLittle ? bytes - 1 - i : i)));
    }
    const raw = all >> BigInt(bitOffset);
    return Number(isSigned ? BigInt.asIntN(bits, raw) : BigInt.asUintN(bits, raw));
  };
}

/** Bytes that a number touches. */
export function bytesOfNumber(bitOffset: number, bits: number): number {
  return (bitOffset + bits + 7) >> 3;
}
