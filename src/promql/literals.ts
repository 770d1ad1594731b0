/** A number as PromQL writes it, or a duration, which stands for its seconds; undefined for what is none. */
export function numberOf(text: string): number | undefined {
  const [, sign = '', digits = ''] = /^([+-]?)\s*(.*)$/s.exec(text) ?? [];
  const value = unsignedNumber(digits.toLowerCase());
  return value === undefined ? undefined : sign === '-' ? -value : value;
}

function unsignedNumber(text: string): number | undefined {
  if (text === 'inf') return Number.POSITIVE_INFINITY;
  if (text === 'nan') return Number.NaN;
  const plain = text.replaceAll('_', '');
  if (/^0x[0-9a-f]+$/.test(plain)) return Number(plain);
  // As in Go, a number that begins with 0 and has whole digits is octal.
  if (/^0[0-7]+$/.test(plain)) return Number.parseInt(plain, 8);
  if (/^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/.test(plain)) return Number(plain);
  const ms = durationOf(text);
  return ms === undefined ? undefined : ms / 1000;
}

const units = { y: 31_536_000_000, w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** Milliseconds of `1h30m`; undefined for what is no duration. */
export function durationOf(text: string): number | undefined {
  const found = /^(?:(\d+)y)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/.exec(text);
  if (found === null || text === '') return undefined;
  return Object.values(units).reduce((sum, unit, i) => sum + Number(found[i + 1] ?? 0) * unit, 0);
}

/** `1h30m` of so many milliseconds. */
export function durationText(ms: number): string {
  if (ms < 0) return `-${durationText(-ms)}`;
  if (ms === 0) return '0s';
  let left = Math.round(ms);
  let text = '';
  for (const [unit, size] of Object.entries(units)) {
    const count = Math.floor(left / size);
    // Years and weeks only where nothing is left.
    if (count === 0 || ((unit === 'y' || unit === 'w') && left % size !== 0)) continue;
    text += count + unit;
    left -= count * size;
  }
  return text;
}

/** The text of a literal in `"`, `'` or backticks; undefined where an escape is not known (Go's language specification, "String literals"). */
export function textOf(literal: string): string | undefined {
  const inner = literal.slice(1, -1);
  if (literal[0] === '`') return inner;
  let isValid = true;
  const bytes: Buffer[] = [];
  const pattern =
    /\\(?:([abfnrtv\\'"])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|)|[^\\]+/g;
  for (const [all, simple, hex, short, long, octal] of inner.matchAll(pattern)) {
    const code = short ?? long;
    if (simple !== undefined) bytes.push(Buffer.from(escapes[simple]!));
    else if (hex !== undefined) bytes.push(Buffer.of(Number.parseInt(hex, 16)));
    else if (octal !== undefined) bytes.push(Buffer.of(Number.parseInt(octal, 8) & 255));
    else if (code !== undefined) {
      const point = Number.parseInt(code, 16);
      if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) isValid = false;
      else bytes.push(Buffer.from(String.fromCodePoint(point)));
    } else if (all === '\\') isValid = false;
    else bytes.push(Buffer.from(all));
  }
  return isValid ? Buffer.concat(bytes).toString() : undefined;
}

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
};
