const mask = 0xffff_ffff_ffff_ffffn;
const [p1, p2, p3, p4, p5] = [
  0x9e37_79b1_85eb_ca87n,
  0xc2b2_ae3d_27d4_eb4fn,
  0x1656_67b1_9e37_79f9n,
  0x85eb_ca77_c2b2_ae63n,
  0x27d4_eb2f_1656_67c5n,
];
const stripe = 32;

function rotate(value: bigint, by: bigint): bigint {
  return ((value << by) | (value >> (64n - by))) & mask;
}

function round(lane: bigint, word: bigint): bigint {
  return (rotate((lane + word * p2) & mask, 31n) * p1) & mask;
}

/** Takes bytes piece by piece; gives their XXH64 with the seed 0 ("xxHash fast digest algorithm"). */
export function createXxh64(): { add(bytes: Uint8Array): void; end(): bigint } {
  const lanes = [(p1 + p2) & mask, p2, 0n, (mask + 1n - p1) & mask];
  let rest = new Uint8Array();
  let size = 0;

  const addStripes = (bytes: Uint8Array): number => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    for (; at + stripe <= bytes.length; at += stripe) {
      for (let lane = 0; lane < 4; lane++)
        lanes[lane] = round(lanes[lane]!, view.getBigUint64(at + lane * 8, true));
    }
    return at;
  };

  return {
    add(bytes) {
      size += bytes.length;
      let left = bytes;
      if (rest.length > 0) {
        const taken = Math.min(stripe - rest.length, bytes.length);
        const joined = new Uint8Array(rest.length + taken);
        joined.set(rest);
        joined.set(bytes.subarray(0, taken), rest.length);
        left = bytes.subarray(taken);
        rest = joined;
        if (rest.length < stripe) return;
        addStripes(rest);
      }
      rest = left.slice(addStripes(left));
    },

    end() {
      let hash = p5;
      if (size >= stripe) {
        hash = lanes.reduce((sum, lane, i) => sum + rotate(lane, [1n, 7n, 12n, 18n][i]!), 0n) & mask;
        for (const lane of lanes) hash = ((hash ^ round(0n, lane)) * p1 + p4) & mask;
      }
      hash = (hash + BigInt(size)) & mask;
      const view = new DataView(rest.buffer, rest.byteOffset, rest.byteLength);
      let at = 0;
      for (; at + 8 <= rest.length; at += 8) {
        hash ^= round(0n, view.getBigUint64(at, true));
        hash = (rotate(hash, 27n) * p1 + p4) & mask;
      }
      if (at + 4 <= rest.length) {
        hash ^= (BigInt(view.getUint32(at, true)) * p1) & mask;
        hash = (rotate(hash, 23n) * p2 + p3) & mask;
        at += 4;
      }
      for (; at < rest.length; at++) {
        hash ^= (BigInt(rest[at]!) * p5) & mask;
        hash = (rotate(hash, 11n) * p1) & mask;
      }
      hash = ((hash ^ (hash >> 33n)) * p2) & mask;
      hash = ((hash ^ (hash >> 29n)) * p3) & mask;
      return hash ^ (hash >> 32n);
    },
  };
}
