const polynomial = 0xedb88320;

/** Table `k` gives what a byte becomes `k` bytes further on: eight bytes are taken in one step. */
const tables = Array.from({ length: 8 }, () => new Uint32Array(256));
for (let byte = 0; byte < 256; byte++) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
  tables[0]![byte] = crc;
}
for (let k = 1; k < 8; k++) {
  for (let byte = 0; byte < 256; byte++) {
    const before = tables[k - 1]![byte]!;
    tables[k]![byte] = (before >>> 8) ^ tables[0]![before & 0xff]!;
  }
}
const [t0, t1, t2, t3, t4, t5, t6, t7] = tables as unknown as readonly [
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
];

/**
 * The checksum CRC-32 of ISO 3309, as zlib has it, of bytes that come in pieces ("slicing by eight", Intel 2006).
 * @param before of the pieces before; 0 for the first
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let crc = ~before;
  let at = 0;
  for (; at + 8 <= bytes.length; at += 8) {
    const low = view.getInt32(at, true) ^ crc;
    const high = view.getInt32(at + 4, true);
    crc =
      t7[low & 0xff]! ^
      t6[(low >>> 8) & 0xff]! ^
      t5[(low >>> 16) & 0xff]! ^
      t4[low >>> 24]! ^
      t3[high & 0xff]! ^
      t2[(high >>> 8) & 0xff]! ^
      t1[(high >>> 16) & 0xff]! ^
      t0[high >>> 24]!;
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ t0[(crc ^ bytes[at]!) & 0xff]!;
  return ~crc >>> 0;
}
