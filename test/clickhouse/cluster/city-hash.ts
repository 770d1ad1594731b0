// CityHash128 in its version 1.0.2, by which ClickHouse checks files, in as much as is needed for that: with the result
// of the block before as a seed.

/** 64 bits each. */
export type Hash = readonly [low: bigint, high: bigint];

const k0 = 0xc3a5c85c97cb3127n;
const k1 = 0xb492b66fbe98f273n;
const k2 = 0x9ae16a3b2f90404fn;
const k3 = 0xc949d7c7509e6557n;

/** What ClickHouse says of a file: its blocks, each hashed with the one before. */
const blockBytes = 2048;

export function hashOfFile(bytes: Buffer): Hash {
  let hash: Hash = [0n, 0n];
  for (let at = 0; at < bytes.length; at += blockBytes) {
    hash = cityHash(bytes.subarray(at, at + blockBytes), hash);
  }
  return hash;
}

const wrap = (value: bigint) => BigInt.asUintN(64, value);
const times = (a: bigint, b: bigint) => wrap(a * b);
const rotate = (value: bigint, by: bigint) => wrap((value >> by) | (value << (64n - by)));
const mixed = (value: bigint) => value ^ (value >> 47n);
const at8 = (bytes: Buffer, at: number) => bytes.readBigUInt64LE(at);
const at4 = (bytes: Buffer, at: number) => BigInt(bytes.readUInt32LE(at));

/** Of two numbers one. */
function joined(u: bigint, v: bigint): bigint {
  const factor = 0x9ddfea08eb382d69n;
  const a = times(u ^ v, factor);
  const b = times(v ^ a ^ (a >> 47n), factor);
  return times(b ^ (b >> 47n), factor);
}

function ofAtMost16(bytes: Buffer): bigint {
  const { length } = bytes;
  const size = BigInt(length);
  if (length > 8) {
    const last = at8(bytes, length - 8);
    return joined(at8(bytes, 0), rotate(wrap(last + size), size)) ^ last;
  }
  if (length >= 4) return joined(size + (at4(bytes, 0) << 3n), at4(bytes, length - 4));
  if (length === 0) return k2;
  const y = BigInt(bytes[0]! + bytes[length >> 1]! * 256);
  const z = BigInt(length + bytes[length - 1]! * 4);
  return times(mixed(times(y, k2) ^ times(z, k3)), k2);
}

/** Of 32 bytes and two seeds. */
function weak(bytes: Buffer, at: number, seedA: bigint, seedB: bigint): Hash {
  const [w, x, y, z] = [at8(bytes, at), at8(bytes, at + 8), at8(bytes, at + 16), at8(bytes, at + 24)];
  const a = wrap(seedA + w);
  const b = rotate(wrap(seedB + a + z), 21n);
  const sum = wrap(a + x + y);
  return [wrap(sum + z), wrap(b + rotate(sum, 44n) + a)];
}

function cityHash(bytes: Buffer, seed: Hash): Hash {
  return bytes.length < 128 ? ofShort(bytes, seed) : ofLong(bytes, seed);
}

function ofShort(bytes: Buffer, [low, high]: Hash): Hash {
  const { length } = bytes;
  let [a, b, c, d] = [low, high, 0n, 0n];
  if (length <= 16) {
    a = times(mixed(times(a, k1)), k1);
    c = wrap(times(b, k1) + ofAtMost16(bytes));
    d = mixed(wrap(a + (length >= 8 ? at8(bytes, 0) : c)));
  } else {
    c = joined(wrap(at8(bytes, length - 8) + k1), a);
    d = joined(wrap(b + BigInt(length)), wrap(c + at8(bytes, length - 16)));
    a = wrap(a + d);
    for (let at = 0; at < length - 16; at += 16) {
      a = times(a ^ times(mixed(times(at8(bytes, at), k1)), k1), k1);
      b ^= a;
      c = times(c ^ times(mixed(times(at8(bytes, at + 8), k1)), k1), k1);
      d ^= c;
    }
  }
  a = joined(a, c);
  b = joined(d, b);
  return [a ^ b, joined(b, a)];
}

function ofLong(bytes: Buffer, [low, high]: Hash): Hash {
  let [x, y, z] = [low, high, times(BigInt(bytes.length), k1)];
  const v0 = wrap(times(rotate(y ^ k1, 49n), k1) + at8(bytes, 0));
  let v: Hash = [v0, wrap(times(rotate(v0, 42n), k1) + at8(bytes, 8))];
  let w: Hash = [
    wrap(times(rotate(wrap(y + z), 35n), k1) + x),
    times(rotate(wrap(x + at8(bytes, 88)), 53n), k1),
  ];
  const whole = bytes.length - (bytes.length % 128);
  for (let at = 0; at < whole; at += 64) {
    x = times(rotate(wrap(x + y + v[0] + at8(bytes, at + 16)), 37n), k1) ^ w[1];
    y = times(rotate(wrap(y + v[1] + at8(bytes, at + 48)), 42n), k1) ^ v[0];
    z = rotate(z ^ w[0], 33n);
    v = weak(bytes, at, times(v[1], k1), wrap(x + w[0]));
    w = weak(bytes, at + 32, wrap(z + w[1]), y);
    [x, z] = [z, x];
  }
  y = wrap(y + times(rotate(w[0], 37n), k0) + z);
  x = wrap(x + times(rotate(wrap(v[0] + z), 49n), k0));
  // What is left, in pieces of 32 bytes from the end: the first of them may begin in what was taken above.
  for (let end = bytes.length; end > whole; end -= 32) {
    y = wrap(times(rotate(wrap(y - x), 42n), k0) + v[1]);
    const first = wrap(w[0] + at8(bytes, end - 16));
    x = wrap(times(rotate(x, 49n), k0) + first);
    w = [wrap(first + v[0]), w[1]];
    v = weak(bytes, end - 32, v[0], v[1]);
  }
  x = joined(x, v[0]);
  y = joined(y, w[0]);
  return [wrap(joined(wrap(x + v[1]), w[1]) + y), joined(wrap(x + w[1]), wrap(y + v[1]))];
}
