import type { TextEncoding, TextSettings, TimeForm } from '../../import/text/text-layout.ts';
import { splitList, UsageError } from '../command.ts';
import { timeOption } from '../time.ts';

/** What the command line may say of a text file; the rest is guessed. */
export const textOptions = {
  header: { type: 'string' },
  units: { type: 'string' },
  separator: { type: 'string' },
  decimal: { type: 'string' },
  encoding: { type: 'string' },
  'time-format': { type: 'string' },
  start: { type: 'string' },
  missing: { type: 'string', multiple: true },
} as const;

const separators = { comma: ',', semicolon: ';', tab: '\t', space: ' ' } as const;
const decimals = { point: '.', comma: ',' } as const;
const encodings: Readonly<Record<string, TextEncoding>> = {
  'utf-8': 'utf-8',
  'utf-16le': 'utf-16le',
  'utf-16be': 'utf-16be',
  'latin-1': 'windows-1252',
};
const timeForms: Readonly<Record<string, TimeForm>> = {
  ...{ iso: 'iso', 'day-first': 'day-first', 'month-first': 'month-first', clock: 'clock', hhmmss: 'hhmmss' },
  ...{ excel: 'excel', h: 'h', min: 'min', s: 's', ms: 'ms', us: 'us', ns: 'ns' },
};

export const timeFormWords = Object.keys(timeForms);

export const textHelp = `Of a text file (.csv, .tsv, .txt, .vbo, .lvm, .asc, .ascii) these are guessed, and can be set:
  --header LINE      the line with the names of columns; 0 where there is none
  --units LINE       the line with their units; 0 where there is none
  --separator WORD   ${Object.keys(separators).join(', ')}
  --decimal WORD     point or comma
  --missing LIST     cells that stand for no value, with commas, besides such as '-', 'n/a', '#DIV/0!'
  --encoding NAME    ${Object.keys(encodings).join(', ')}`;

type Given = Readonly<Record<string, unknown>>;

/** Throws a UsageError that names the option. */
export function textSettings(values: Given): TextSettings {
  const text = (name: string): string | undefined => values[name] as string | undefined;
  return {
    headerLine: lineOption('--header', text('header')),
    unitsLine: lineOption('--units', text('units')),
    separator: oneOf('--separator', text('separator'), separators),
    decimal: oneOf('--decimal', text('decimal'), decimals),
    encoding: oneOf('--encoding', text('encoding'), encodings),
    timeForm: oneOf('--time-format', text('time-format'), timeForms),
    start: timeOption('--start', text('start')),
    time: text('timestamp'),
    tags: values['tags'] === undefined ? undefined : splitList(values['tags'] as string[]),
    binaries: splitList(values['binaries'] as string[] | undefined),
    texts: splitList(values['texts'] as string[] | undefined),
    skip: splitList(values['skip'] as string[] | undefined),
    missing: splitList(values['missing'] as string[] | undefined),
  };
}

function lineOption(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text))
    throw new UsageError(`${name} is the number of a line, from 1; '${text}' is none`);
  return Number(text);
}

/** Throws a UsageError for a word that is not known. */
export function oneOf<Value>(
  name: string,
  text: string | undefined,
  known: Readonly<Record<string, Value>>,
): Value | undefined {
  if (text === undefined) return undefined;
  if (!Object.hasOwn(known, text)) {
    throw new UsageError(`${name} is one of ${Object.keys(known).join(', ')}; '${text}' is none`);
  }
  return known[text];
}
