/** The standard alphabet (RFC 4648, section 4). */
const alphabet = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const pad = 0x3d;

/** Per byte of text its six bits, or 255. */
const sextets = new Uint8Array(256).fill(255);
alphabet.forEach((letter, i) => {
  sextets[letter] = i;
});

/**
 * Decodes base64 in `text[start, end)` to `out` from `to` on, which must have three bytes of room for every
 * four of text begun. Padding may be left out; where it stands it must be right. The number of bytes written, or -1
 * for anything but base64 in its canonical form (unused bits are zero).
 */
export function decodeBase64(
  text: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  to: number,
): number {
  let last = end;
  if ((end - start) % 4 === 0 && end > start && text[end - 1] === 0x3d)
    last -= text[end - 2] === 0x3d ? 2 : 1;
  let at = start;
  let o = to;
  for (const whole = last - 3; at < whole; at += 4) {
    const a = sextets[text[at]!]!;
    const b = sextets[text[at + 1]!]!;
    const c = sextets[text[at + 2]!]!;
    const d = sextets[text[at + 3]!]!;
    if ((a | b | c | d) > 63) return -1;
    out[o++] = (a << 2) | (b >> 4);
    out[o++] = (b << 4) | (c >> 2);
    out[o++] = (c << 6) | d;
  }
  const left = last - at;
  if (left === 0) return o - to;
  if (left === 1) return -1;
  const a = sextets[text[at]!]!;
  const b = sextets[text[at + 1]!]!;
  const c = left === 3 ? sextets[text[at + 2]!]! : 0;
  if ((a | b | c) > 63 || (left === 2 ? b & 15 : c & 3) !== 0) return -1;
  out[o++] = (a << 2) | (b >> 4);
  if (left === 3) out[o++] = (b << 4) | (c >> 2);
  return o - to;
}

/** Encodes `bytes[start, end)`, padded, to `out` from `to` on: four bytes for every three begun. Gives the end. */
export function encodeBase64(
  bytes: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  to: number,
): number {
  let o = to;
  for (let at = start; at < end; at += 3) {
    const b = at + 1 < end ? bytes[at + 1]! : 0;
    const c = at + 2 < end ? bytes[at + 2]! : 0;
    const bits = (bytes[at]! << 16) | (b << 8) | c;
    out[o++] = alphabet[bits >> 18]!;
    out[o++] = alphabet[(bits >> 12) & 63]!;
    out[o++] = at + 1 < end ? alphabet[(bits >> 6) & 63]! : pad;
    out[o++] = at + 2 < end ? alphabet[bits & 63]! : pad;
  }
  return o;
}
