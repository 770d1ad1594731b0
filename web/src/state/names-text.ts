import { joined, split } from './text-parts.ts';

/** Names for numbers of a channel, by the numbers as text. */
export type ChannelNames = Readonly<Record<string, string>>;

/** `Mode,0,PIT,1,OUT` */
export function formatNames(channel: string, names: ChannelNames): string {
  return joined([channel, ...Object.entries(names).flat()], ',');
}

/** Each channel counts once; what has no name is left out. */
export function parseNames(texts: readonly string[]): Record<string, ChannelNames> {
  const found: [string, ChannelNames][] = [];
  for (const text of texts) {
    const [channel = '', ...pairs] = split(text, ',');
    const names: [number, string][] = [];
    for (let i = 0; i + 1 < pairs.length; i += 2) {
      const number = Number(pairs[i] || 'none');
      if (Number.isFinite(number)) names.push([number, pairs[i + 1]!]);
    }
    if (channel !== '') found.push([channel, inOrder(names)]);
  }
  return Object.fromEntries(found);
}

/** As the service orders them; of two names of a number the last one counts. */
export function inOrder(names: Iterable<readonly [number, string]>): ChannelNames {
  const sorted = [...new Map(names)].sort(([a], [b]) => a - b);
  return Object.fromEntries(sorted.map(([number, name]) => [String(number), name]));
}

/** `0 = PIT, 1 = OUT`; with semicolons where a name has a comma. */
export function namesText(names: ChannelNames): string {
  const mark = Object.values(names).some((name) => name.includes(',')) ? '; ' : ', ';
  return Object.entries(names)
    .map(([number, name]) => `${number} = ${name}`)
    .join(mark);
}

/** What was typed; undefined where it is not numbers with names. */
export function typedNames(text: string): ChannelNames | undefined {
  const names: [number, string][] = [];
  const pairs = text.split(text.includes(';') ? ';' : ',').filter((pair) => pair.trim() !== '');
  for (const pair of pairs) {
    const [, number = '', name = ''] = /^\s*(-?[\d.]+(?:e[+-]?\d+)?)\s*[=:]\s*(.*?)\s*$/i.exec(pair) ?? [];
    if (name === '' || number === '' || !Number.isFinite(Number(number))) return undefined;
    names.push([Number(number), name]);
  }
  return inOrder(names);
}
