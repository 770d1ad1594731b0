import { FileFault } from '../file-bytes.ts';

/** The most beacons of a file: more laps than a session has. */
const mostBeacons = 100_000;

/**
 * The beacons of a MoTeC .ldx file, in order of time: nanoseconds after the start of the log. The file is XML; beacons
 * are `<Marker Time="…"/>` with microseconds, in any order, in the `<MarkerGroup Name="Beacons">`. Throws a FileFault
 * that names the character.
 */
export function readBeacons(text: string): bigint[] {
  const file = 'the .ldx file';
  if (!/<LDXFile[\s>]/.test(text.slice(0, 4096))) {
    throw new FileFault('it has no element LDXFile, so it is none of MoTeC', undefined, file);
  }
  const beacons: bigint[] = [];
  let inBeacons = false;
  for (let open = text.indexOf('<'); open >= 0; ) {
    if (text.startsWith('<!--', open)) {
      const end = text.indexOf('-->', open + 4);
      if (end < 0) break;
      open = text.indexOf('<', end + 3);
      continue;
    }
    const close = text.indexOf('>', open);
    if (close < 0) throw new FileFault('a tag has no end', open, file);
    const tag = text.slice(open + 1, close);
    if (/^MarkerGroup\b/.test(tag)) inBeacons = attribute(tag, 'Name') === 'Beacons' && !tag.endsWith('/');
    else if (/^\/MarkerGroup\b/.test(tag)) inBeacons = false;
    else if (inBeacons && /^Marker\b/.test(tag)) {
      if (beacons.length === mostBeacons)
        throw new FileFault(`it has more than ${mostBeacons} beacons`, open, file);
      beacons.push(timeOf(tag, open, file));
    }
    open = text.indexOf('<', close + 1);
  }
  return beacons.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** The longest that a beacon may stand after the start: a year, in microseconds. */
const longest = 365 * 86_400 * 1e6;

function timeOf(tag: string, open: number, file: string): bigint {
  const text = attribute(tag, 'Time');
  const micros = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  if (!(micros >= 0 && micros <= longest)) {
    throw new FileFault(`the beacon has no time in microseconds, but ${text ?? 'none'}`, open, file);
  }
  return BigInt(Math.round(micros * 1000));
}

function attribute(tag: string, name: string): string | undefined {
  const start = tag.indexOf(` ${name}="`);
  if (start < 0) return undefined;
  const from = start + name.length + 3;
  const end = tag.indexOf('"', from);
  return end < 0 ? undefined : tag.slice(from, end);
}
