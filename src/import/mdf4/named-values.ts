import type { ValueNames } from '../../domain/definition.ts';
import { isEnumeration, valueNamesOf } from '../enumeration.ts';
import { FileFault } from '../file-bytes.ts';
import { isWithin } from './ranges.ts';

/** What a table of names has for a raw number: a text, a number of it, or a text of it. */
export type Reference =
  | { readonly text: string }
  | {
      readonly convert: (raw: number) => number;
      /** Whether it gives the raw number itself. */
      readonly isPlain: boolean;
    }
  | { readonly name: (raw: number) => string };

export type Named =
  | {
      readonly kind: 'number';
      readonly convert: (raw: number) => number;
      /** Of physical values. */
      readonly valueNames: ValueNames | undefined;
      /** What ranges of raw numbers stand for; empty where none has a name. */
      readonly ranges: string;
      /** The first raw number that has two names. */
      readonly twice?: number | undefined;
    }
  | {
      readonly kind: 'text of number';
      readonly convert: (raw: number) => string;
      readonly twice?: number | undefined;
    };

type References = readonly (Reference | undefined)[];

/** Names of single raw numbers; one reference more is for all others. */
export function namesOfValues(
  values: readonly number[],
  references: References,
  unit: string,
  offset: number,
): Named {
  if (references.length < values.length) throw new FileFault('the block CC has too few links', offset);
  // Of two names of a number the first one counts, as of ranges that overlap.
  const places = new Map<number, number>();
  let twice: number | undefined;
  for (const [i, value] of values.entries()) {
    const first = places.get(value);
    if (first === undefined) places.set(value, i);
    else if (!isSame(references[first], references[i])) twice ??= value;
  }
  const find = (raw: number): number => places.get(raw) ?? values.length;
  const keys = values.map((value) => [value, value] as const);
  return { ...named(keys, values, references, unit, find), twice };
}

function isSame(one: Reference | undefined, other: Reference | undefined): boolean {
  return (
    one === other ||
    (one !== undefined && other !== undefined && 'text' in one && 'text' in other && one.text === other.text)
  );
}

/** Names of ranges of raw numbers, pairs of first and last; one reference more is for all others. */
export function namesOfRanges(
  values: readonly number[],
  references: References,
  unit: string,
  isWhole: boolean,
  offset: number,
): Named {
  const count = Math.floor(values.length / 2);
  if (references.length < count) throw new FileFault('the block CC has too few links', offset);
  const find = (raw: number): number => {
    for (let i = 0; i < count; i++) if (isWithin(raw, values[2 * i]!, values[2 * i + 1]!, isWhole)) return i;
    return count;
  };
  const keys = Array.from({ length: count }, (_, i) => [values[2 * i]!, values[2 * i + 1]!] as const);
  return named(keys, [0, 1].filter((raw) => find(raw) < count).concat(values), references, unit, find);
}

/**
 * A channel is text, each value its name, or its number where it has none. Where others are converted, it has a unit, or its names are no
 * enumeration, it is a measured number of which single values have a meaning of their own, such as "not available": it stays number, and its
 * names are told.
 * @param keys first and last raw number of each reference
 * @param raws numbers that have names
 */
function named(
  keys: readonly (readonly [first: number, last: number])[],
  raws: readonly number[],
  references: References,
  unit: string,
  find: (raw: number) => number,
): Named {
  const numeric = references.filter((one) => one !== undefined && 'convert' in one);
  const other = references[keys.length];
  const isMeasured =
    numeric.some((one) => !one.isPlain) ||
    ((unit !== '' || !isEnumeration(raws)) && (other === undefined || 'convert' in other));
  if (!isMeasured) {
    return {
      kind: 'text of number',
      convert(raw) {
        const one = references[find(raw)];
        if (one === undefined) return String(raw);
        if ('text' in one) return one.text;
        return 'name' in one ? one.name(raw) : String(one.convert(raw));
      },
    };
  }
  const fallback = (other !== undefined && 'convert' in other ? other : numeric[0])?.convert;
  const convert = (raw: number): number => {
    const one = references[find(raw)];
    if (one !== undefined && 'convert' in one) return one.convert(raw);
    return fallback === undefined ? raw : fallback(raw);
  };
  const told = keys.flatMap(([first, last], i) => {
    const one = references[i];
    return one !== undefined && 'text' in one ? [{ first, last, text: one.text }] : [];
  });
  return {
    kind: 'number',
    convert,
    valueNames: valueNamesOf(
      told.filter(({ first, last }) => first === last).map(({ first, text }) => [convert(first), text]),
    ),
    ranges: rangesText(told.filter(({ first, last }) => first !== last)),
  };
}

/** The most ranges that are told. */
const mostRanges = 50;

function rangesText(
  ranges: readonly { readonly first: number; readonly last: number; readonly text: string }[],
): string {
  const told = ranges.slice(0, mostRanges).map(({ first, last, text }) => `${first} to ${last} = ${text}`);
  const left = ranges.length - told.length;
  return [...told, ...(left > 0 ? [`and ${left} more`] : [])].join(', ');
}
