import type { NumberCell } from './table-source.ts';

/** A decimal of whole digits and a scale: its digits without zeros at the end, and the nearest double. */
export function decimalCell(unscaled: bigint, scale: number): NumberCell {
  const text = decimalText(unscaled, scale);
  return { text, value: Number(text) };
}

function decimalText(unscaled: bigint, scale: number): string {
  if (scale <= 0) return String(unscaled * 10n ** BigInt(-scale));
  const sign = unscaled < 0n ? '-' : '';
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const fraction = digits.slice(-scale).replace(/0+$/, '');
  return `${sign}${digits.slice(0, -scale)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Reads bytes as a signed whole number, the highest first. */
export function signedOf(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return BigInt.asIntN(bytes.length * 8, value);
}
