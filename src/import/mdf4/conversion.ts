import type { ValueNames } from '../../domain/definition.ts';
import { type FileBytes, FileFault } from '../file-bytes.ts';
import { type Block, needData, readBlock, readText, readWritten } from './blocks.ts';
import { parseFormula } from './formula.ts';
import { namesOfRanges, namesOfValues, type Reference } from './named-values.ts';
import { isWithin } from './ranges.ts';

/** What a channel's raw values mean: numbers or texts, of numbers or of texts. */
export type Conversion = { readonly unit: string } & (
  | { readonly kind: 'none' }
  | {
      readonly kind: 'number';
      readonly convert: (raw: number) => number;
      readonly valueNames?: ValueNames | undefined;
      /** What ranges of raw numbers stand for. */
      readonly ranges?: string;
      readonly twice?: number | undefined;
    }
  | {
      readonly kind: 'text of number';
      readonly convert: (raw: number) => string;
      /** The first raw number that has two names. */
      readonly twice?: number | undefined;
    }
  | { readonly kind: 'number of text'; readonly convert: (raw: string) => number; readonly twice?: string }
  | { readonly kind: 'text of text'; readonly convert: (raw: string) => string; readonly twice?: string }
  /** It is not read. */
  | { readonly kind: 'unknown'; readonly why: string }
);

type WithoutUnit = Conversion extends infer One
  ? One extends Conversion
    ? Omit<One, 'unit'>
    : never
  : never;

const valuesAt = 24;
const longest = 4 << 20;
/** The most levels of conversions in tables of others. */
const deepest = 4;

/**
 * The conversion of a block CC. Links: name, unit, comment, inverse, then texts or other conversions. Its data: uint8 type, then uint16 number
 * of values at 6, and the values, doubles, at 24. Throws a FileFault.
 * @param isWhole whether raw values are whole numbers, whose ranges have both their ends
 * @param unitOfChannel where the channel has one, it counts
 */
export async function readConversion(
  file: FileBytes,
  offset: number,
  isWhole: boolean,
  unitOfChannel: string,
): Promise<Conversion> {
  if (offset === 0) return { kind: 'none', unit: unitOfChannel };
  const block = await conversionBlock(file, offset);
  const unit = unitOfChannel || (await readText(file, block.links[1] ?? 0));
  return { unit, ...(await conversionOf(file, block, isWhole, unit, 0)) };
}

async function conversionBlock(file: FileBytes, offset: number): Promise<Block> {
  const block = await readBlock(file, offset, ['CC'], longest);
  needData(block, valuesAt, 0);
  return block;
}

async function conversionOf(
  file: FileBytes,
  block: Block,
  isWhole: boolean,
  unit: string,
  depth: number,
): Promise<WithoutUnit> {
  const { data, links, offset } = block;
  const type = data.getUint8(0);
  const value = (i: number): number => {
    if (data.byteLength < valuesAt + 8 * (i + 1)) throw new FileFault('the block CC is too short', offset);
    return data.getFloat64(valuesAt + 8 * i, true);
  };
  const values = (): number[] => Array.from({ length: data.getUint16(6, true) }, (_, i) => value(i));
  switch (type) {
    case 0:
      return { kind: 'none' };
    case 1: {
      const [shift, factor] = [value(0), value(1)];
      // Whole numbers keep all their digits.
      if (shift === 0 && factor === 1) return { kind: 'none' };
      return { kind: 'number', convert: (raw) => shift + factor * raw };
    }
    case 2: {
      const [a, b, c, d, e, f] = [value(0), value(1), value(2), value(3), value(4), value(5)];
      return {
        kind: 'number',
        convert: (raw) => (a * raw * raw + b * raw + c) / (d * raw * raw + e * raw + f),
      };
    }
    case 3: {
      const text = await readText(file, links[4] ?? 0);
      const convert = parseFormula(text);
      return convert === undefined
        ? { kind: 'unknown', why: `the formula ${text.slice(0, 80)}` }
        : { kind: 'number', convert };
    }
    case 4:
    case 5:
      return tableOf(values(), type === 4, offset);
    case 6:
      return rangesOf(values(), isWhole, offset);
    case 7:
    case 8: {
      const references = await referencesOf(file, block, isWhole, unit, depth);
      return type === 7
        ? namesOfValues(values(), references, unit, offset)
        : namesOfRanges(values(), references, unit, isWhole, offset);
    }
    case 9:
      return numbersOfTexts(values(), await textsOf(file, links.slice(4)), offset);
    case 10:
      return textsOfTexts(await textsOf(file, links.slice(4)));
    default:
      return { kind: 'unknown', why: `a conversion of type ${type}` };
  }
}

/** Pairs of raw number and value, in order of the first: the value between two of them, or that of the nearer one. */
function tableOf(values: readonly number[], isBetween: boolean, offset: number): WithoutUnit {
  const count = Math.floor(values.length / 2);
  if (count === 0) throw new FileFault('the table of a block CC is empty', offset);
  const raws = Array.from({ length: count }, (_, i) => values[2 * i]!);
  const found = Array.from({ length: count }, (_, i) => values[2 * i + 1]!);
  const convert = (raw: number): number => {
    if (!(raw > raws[0]!)) return Number.isNaN(raw) ? raw : found[0]!;
    let [low, high] = [0, count];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (raws[middle]! <= raw) low = middle;
      else high = middle;
    }
    if (high === count) return found[low]!;
    const [from, to] = [raws[low]!, raws[high]!];
    if (!isBetween) return raw - from <= to - raw ? found[low]! : found[high]!;
    return found[low]! + ((raw - from) / (to - from)) * (found[high]! - found[low]!);
  };
  return { kind: 'number', convert };
}

/** Triples of first and last raw number and value; behind them the value of all others. */
function rangesOf(values: readonly number[], isWhole: boolean, offset: number): WithoutUnit {
  if (values.length % 3 !== 1) throw new FileFault('the ranges of a block CC are not whole', offset);
  const other = values.at(-1)!;
  const convert = (raw: number): number => {
    for (let i = 0; i + 2 < values.length; i += 3)
      if (isWithin(raw, values[i]!, values[i + 1]!, isWhole)) return values[i + 2]!;
    return other;
  };
  return { kind: 'number', convert };
}

/** Texts and conversions that a table names; undefined where there is none. */
async function referencesOf(
  file: FileBytes,
  { links }: Block,
  isWhole: boolean,
  unit: string,
  depth: number,
): Promise<(Reference | undefined)[]> {
  const references: (Reference | undefined)[] = [];
  for (const link of links.slice(4)) references.push(await referenceOf(file, link, isWhole, unit, depth));
  return references;
}

async function referenceOf(
  file: FileBytes,
  link: number,
  isWhole: boolean,
  unit: string,
  depth: number,
): Promise<Reference | undefined> {
  if (link === 0) return undefined;
  const { kind } = await readBlock(file, link, ['TX', 'MD', 'CC'], 0);
  if (kind !== 'CC') return { text: await readText(file, link) };
  if (depth === deepest)
    throw new FileFault(`conversions stand in conversions, more than ${deepest} deep`, link);
  const found = await conversionOf(file, await conversionBlock(file, link), isWhole, unit, depth + 1);
  if (found.kind === 'none') return { convert: (raw) => raw, isPlain: true };
  if (found.kind === 'number') {
    const isPlain = found.ranges === undefined && [0, 1, -1, 1000].every((raw) => found.convert(raw) === raw);
    return { convert: found.convert, isPlain };
  }
  if (found.kind === 'text of number') return { name: found.convert };
  return undefined;
}

async function textsOf(file: FileBytes, links: readonly number[]): Promise<string[]> {
  const texts: string[] = [];
  for (const link of links) texts.push(await readWritten(file, link));
  return texts;
}

/** By their first text: of two values of one text the first one counts. */
function firstOf<Value>(pairs: readonly (readonly [string, Value])[]): {
  found: ReadonlyMap<string, Value>;
  twice?: string;
} {
  const found = new Map<string, Value>();
  let twice: string | undefined;
  for (const [text, value] of pairs) {
    if (!found.has(text)) found.set(text, value);
    else if (found.get(text) !== value) twice ??= text;
  }
  return { found, ...(twice !== undefined && { twice }) };
}

/** One number for each text, and that of all others. */
function numbersOfTexts(values: readonly number[], texts: readonly string[], offset: number): WithoutUnit {
  if (values.length < texts.length + 1) throw new FileFault('the block CC is too short', offset);
  const { found, ...twice } = firstOf(texts.map((text, i) => [text, values[i]!]));
  const other = values[texts.length]!;
  return { kind: 'number of text', convert: (raw) => found.get(raw) ?? other, ...twice };
}

/** Pairs of texts; behind them the text of all others, which stay as they are where there is none. */
function textsOfTexts(texts: readonly string[]): WithoutUnit {
  const pairs = Array.from(
    { length: texts.length >> 1 },
    (_, i) => [texts[2 * i]!, texts[2 * i + 1]!] as const,
  );
  const { found, ...twice } = firstOf(pairs);
  const other = texts.length % 2 === 1 ? texts.at(-1)! : '';
  return { kind: 'text of text', convert: (raw) => found.get(raw) ?? (other || raw), ...twice };
}
