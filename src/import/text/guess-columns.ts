import { Kind } from '../../domain/parameter-data.ts';
import { parameterOfColumn, tagPrefix } from '../../domain/table-names.ts';
import { channelNames, plainName } from '../channel-names.ts';
import { type ColumnRole, namesText, type TextColumn, TextFault, type TextSettings } from './text-layout.ts';
import { splitHeader, unitOfCell } from './units.ts';

/** What is known of the columns before they are guessed. */
export interface GivenColumns {
  readonly headerLine: number;
  /** Empty ones stand for columns without a name. */
  readonly headers: readonly string[];
  /** Aligned with them; undefined where there is no row of units. */
  readonly units: readonly string[] | undefined;
  /** Units that stand elsewhere. */
  readonly otherUnits: readonly string[];
  /** Whether the file is what an export gives: its names are taken as they are. */
  readonly isExport: boolean;
}

const tagNames =
  /^(?:(?:current[ _-]?)?laps?(?:[ _.-]?(?:no|nr|num|number|count|counter|id|index|#))?\.?|runden?(?:[ _.-]?(?:nr|nummer|zahl|zähler))?\.?|tour|vuelta|giro|run|batch|session|driver|car|machine|device|phase)$/i;

/** Names, units, and roles as far as names say them; the time comes later. Throws a TextFault. */
export function nameColumns(given: GivenColumns, settings: TextSettings): TextColumn[] {
  const headers = hasOwnNames(given) ? given.headers : uniqueNames(given);
  const taken = new Set(headers);
  for (const name of [
    settings.time,
    settings.tags,
    settings.binaries,
    settings.texts,
    settings.skip,
  ].flat()) {
    if (name !== undefined && !taken.has(name)) {
      throw new TextFault(given.headerLine, `there is no column ${name}; the file has ${namesText(headers)}`);
    }
  }
  const split = headers.map((header, i) => nameAndUnit(header, i, given));
  const counts = new Map<string, number>();
  for (const { name } of split) counts.set(name, (counts.get(name) ?? 0) + 1);
  return headers.map((header, i) => {
    const { name, unit } = split[i]!;
    const own = counts.get(name) === 1 ? name : header;
    const column = {
      ...writtenOf(header, given.headers[i]!),
      ...{ header, name: own, unit, divisor: 1, cellUnit: undefined, isQuoted: false },
    };
    const { name: parameter, kind } = parameterOfColumn(header, taken);
    const text = kind === undefined ? column.name : parameter;
    if (settings.skip?.includes(header) === true) return { ...column, role: 'skip' };
    if (settings.tags?.includes(header) === true) return { ...column, name: header, role: 'tag' };
    if (settings.binaries?.includes(header) === true) return { ...column, name: parameter, role: 'binary' };
    if (settings.texts?.includes(header) === true) return { ...column, name: text, role: 'text' };
    if (header.startsWith(tagPrefix)) return { ...column, ...tagOf(header) };
    if (kind !== undefined) return { ...column, name: parameter, role: roleOfKind[kind] ?? 'auto' };
    const isTag = settings.tags === undefined && !given.isExport && tagNames.test(column.name);
    return { ...column, role: isTag ? 'tag' : 'auto' };
  });
}

/** The name in the file, where a column has another one; spaces round it do not count. */
function writtenOf(header: string, given: string): { readonly written?: string } {
  const plain = plainName(given);
  if (header === given || header === given.trim()) return {};
  return { written: header === plain ? given.trim() : plain };
}

/** Whether names can stay as they are: those of an export are names of the service, and differ. */
function hasOwnNames({ headers, isExport }: GivenColumns): boolean {
  const isOwn = (header: string): boolean =>
    header !== '' && header.isWellFormed() && !/\p{Cc}/u.test(header);
  return isExport && new Set(headers).size === headers.length && headers.every(isOwn);
}

function uniqueNames({ headers, headerLine }: GivenColumns): string[] {
  const unique = channelNames((what, line) => new TextFault(line, what));
  return headers.map((header, i) => unique.nameFor(plainName(header) || `Column ${i + 1}`, headerLine));
}

const roleOfKind: Readonly<Record<number, ColumnRole>> = {
  [Kind.Numeric]: 'number',
  [Kind.String]: 'text',
  [Kind.Binary]: 'binary',
};

function nameAndUnit(header: string, i: number, given: GivenColumns): { name: string; unit: string } {
  if (given.isExport) return { name: header, unit: '' };
  const { name, unit } = splitHeader(header);
  const below = unitOfCell(given.units?.[i] ?? '') || (given.otherUnits[i] ?? '');
  return { name, unit: unit || below };
}

/** `TAG__streamId` and `TAG__topic` are no tags: they say whose rows these are. */
function tagOf(header: string): { name: string; role: ColumnRole } {
  const name = header.slice(tagPrefix.length);
  if (name === 'streamId') return { name, role: 'stream' };
  if (name === 'topic') return { name, role: 'topic' };
  return { name: name === '' ? header : name, role: 'tag' };
}

/** Whether the text of a file is what an export gives: nanoseconds in the first column, named so. */
export function isExport(text: string): boolean {
  const match = /^"?Timestamp"?(?:,[^\r\n]*)?(?:(?:\r\n|\r|\n)"?(-?\d+)"?(?:[,\r\n]|$)|\r?\n?$)/.exec(text);
  if (match === null) return false;
  // Else it is a clock of another tool, in seconds, milliseconds or microseconds since 1970.
  const size = Math.abs(Number(match[1] ?? 0));
  return size < 5e8 || size >= 1e17;
}
