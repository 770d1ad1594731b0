import { timestampName } from '../../domain/table-names.ts';
import { timeOfCell } from '../text/cells.ts';
import { nsOfDay } from '../text/dates.ts';
import { plainText, type TimeForm } from '../text/text-layout.ts';
import { zoneOfName } from '../text/time-names.ts';
import { momentText } from './cell-text.ts';
import { float32Text } from './numbers.ts';
import { TableFault } from './table-fault.ts';
import type { Cell, SourceColumn, TimeFacts } from './table-source.ts';
import { cellText, endOf1970, textForms } from './time-facts.ts';

/** What somebody says of the times of a table. */
export interface TimeSettings {
  readonly timeForm: TimeForm | undefined;
  /** ns since the Unix epoch. */
  readonly start: bigint | undefined;
}

/** How the times of a table are read. */
export interface SettledTime {
  /** Of cells that are numbers or text; the form of text where cells have both. */
  readonly form: TimeForm;
  /** Added to numbers, clocks and typed times, ns since the Unix epoch. */
  readonly start: bigint;
  /** Whether times count from the start. */
  readonly isElapsed: boolean;
  /** What was taken for granted, in words. */
  readonly notes: readonly string[];
}

type Unit = 'h' | 'min' | 's' | 'ms' | 'us' | 'ns';

const nsOfUnit: Readonly<Record<Unit, number>> = { h: 3.6e12, min: 6e10, s: 1e9, ms: 1e6, us: 1e3, ns: 1 };
const unitText: Readonly<Record<Unit, string>> = {
  ...{ h: 'hours', min: 'minutes', s: 'seconds' },
  ...{ ms: 'milliseconds', us: 'microseconds', ns: 'nanoseconds' },
};

/** Numbers that count from 1970 are of 1985 to 2128: smaller ones count from a start, as no recording is that long. */
const [leastEpoch, mostEpoch] = [5e17, 5e18];

const asItStands = '--start 1970-01-01T00:00:00Z takes them as they stand';

/** Decides how the times of a column are read. Throws a TableFault that says what must be told. */
export function settleTime(
  column: SourceColumn,
  facts: TimeFacts,
  { timeForm, start }: TimeSettings,
): SettledTime {
  const { name, type } = column;
  if (facts.typed !== undefined) {
    if (timeForm !== undefined)
      throw new TableFault(`--time-format has no meaning here: the column ${name} is ${type}`);
    return settleTyped(column, facts, facts.typed, start);
  }
  if (facts.numbers !== undefined) return settleNumbers(column, facts, facts.numbers, { timeForm, start });
  const form = timeForm ?? 'iso';
  if (facts.texts === 0) return { form, start: 0n, isElapsed: false, notes: [] };
  const isOfDay = form === 'clock' || form === 'hhmmss';
  if (isOfDay && start === undefined)
    throw new TableFault(`the times of ${name} are clocks: --start DAY says of which day`);
  if (!isOfDay) checkNoStart(name, start);
  const notes = [`times of ${name}, ${formText(form)}${fromText(isOfDay, start)}`];
  if (!isOfDay) notes.push(...localNote(column, facts));
  return { form, start: (isOfDay ? start : undefined) ?? 0n, isElapsed: false, notes };
}

function settleTyped(
  { name, kind, type }: SourceColumn,
  { early }: TimeFacts,
  { least, most }: { readonly least: bigint; readonly most: bigint },
  start: bigint | undefined,
): SettledTime {
  const note = (from: boolean): string => `times of ${name}, ${type}${fromText(from, start)}`;
  const settled = { form: 'ns', start: start ?? 0n } as const;
  if (kind === 'span' || kind === 'clock' || kind === 'utc-clock') {
    if (start === undefined) {
      const what = kind === 'span' ? 'count from a start: --start TIME' : 'are clocks: --start DAY';
      throw new TableFault(`the times of ${name} (${type}) ${what} says which`);
    }
    return { ...settled, isElapsed: kind === 'span', notes: [note(true)] };
  }
  const isNear1970 = most < endOf1970 && least >= -nsOfDay;
  if (!isNear1970) {
    checkNoStart(name, start);
    const notes = [note(false)];
    if (early > 0)
      notes.push(
        `${early} of the times are before 1971, the first at ${momentText(least)}: a clock that was not set?`,
      );
    return { ...settled, start: 0n, isElapsed: false, notes };
  }
  if (kind === 'moment' && start === undefined) {
    throw new TableFault(
      `the times of ${name} (${type}) are from ${momentText(least)} to ${momentText(most)}, as if they counted from a start: --start TIME says when it was, ${asItStands}`,
    );
  }
  return { ...settled, isElapsed: start !== undefined, notes: [note(start !== undefined)] };
}

function settleNumbers(
  column: SourceColumn,
  facts: TimeFacts,
  { least, most }: { readonly least: Cell; readonly most: Cell },
  { timeForm, start }: TimeSettings,
): SettledTime {
  const { name } = column;
  const texts = [least, most].map((cell) =>
    column.isFloat32 === true ? float32Text(cell as number) : cellText(cell as string),
  );
  const size = Math.max(...texts.map((text) => Math.abs(Number(text))));
  const isEpoch = (unit: Unit): boolean =>
    size * nsOfUnit[unit] >= leastEpoch && size * nsOfUnit[unit] < (unit === 'ns' ? 2 ** 63 : mostEpoch);
  const likely = (['s', 'ms', 'us', 'ns'] as const).find(isEpoch);
  const given = timeForm as Unit | undefined;
  const range = texts[0] === texts[1] ? texts[0]! : `from ${texts[0]} to ${texts[1]}`;
  const example = (unit: Unit): string => {
    const time = timeOfCell(texts[1]!, unit, 0n);
    return `${texts[1]} would be ${time === undefined ? 'out of range' : momentText(time)}`;
  };
  if (given === undefined && likely !== undefined && likely !== 'ns') {
    throw new TableFault(
      `the times of ${name} (${range}) look like ${unitText[likely]} since 1970, ${example(likely)}: --time-format ${likely} confirms it`,
    );
  }
  const unit = given ?? likely ?? unitOf(column, facts.areWhole);
  const isElapsed = unit === undefined || size * nsOfUnit[unit] < leastEpoch;
  if (isElapsed && (start === undefined || unit === undefined)) {
    const needed = [
      ...(start === undefined ? ['--start TIME says when it was'] : []),
      ...(unit === undefined ? ['--time-format says their unit, such as s, ms, us or ns'] : []),
    ].join(', ');
    const guess =
      unit === undefined
        ? ''
        : ` in ${unitText[unit]}${given === undefined ? ' (--time-format says otherwise)' : ''}`;
    const better =
      given !== undefined && likely !== undefined
        ? `; or they are ${unitText[likely]} since 1970, ${example(likely)}: --time-format ${likely}`
        : '';
    throw new TableFault(
      `the times of ${name} (${range}) count from a start${guess}: ${needed}; ${asItStands}${better}`,
    );
  }
  if (!isElapsed) checkNoStart(name, start);
  const from = (isElapsed ? start : undefined) ?? 0n;
  for (const text of texts) {
    if (timeOfCell(text, unit, from) === undefined)
      throw new TableFault(
        `the time ${text} of ${name}, in ${unitText[unit]}, is out of the range of 64-bit nanoseconds`,
      );
  }
  const since = isElapsed ? fromText(true, start) : ' since 1970';
  const apart = isDouble(column, least) || isDouble(column, most) ? stepOf(size, column) * nsOfUnit[unit] : 0;
  const rounding =
    apart >= 1 ? `, to ${Math.round(apart)} ns: numbers of this size and type are so far apart` : '';
  return {
    form: unit,
    start: from,
    isElapsed,
    notes: [`times of ${name}, ${unitText[unit]}${since}${rounding}`, ...localNote(column, facts)],
  };
}

/** Tells which text says nothing of a zone, unless the name of its column does. */
function localNote({ name }: SourceColumn, { local }: TimeFacts): string[] {
  if (local === undefined || zoneOfName(name) === 'utc') return [];
  return [`times without a zone, taken for UTC, first in row ${local.row}: '${plainText(local.text)}'`];
}

function isDouble({ isFloat32 }: SourceColumn, cell: Cell): boolean {
  return isFloat32 === true || (typeof cell === 'number' && !Number.isSafeInteger(cell));
}

/** How far floating-point numbers of a size are apart. */
function stepOf(size: number, { isFloat32 }: SourceColumn): number {
  return 2 ** (Math.floor(Math.log2(size)) - (isFloat32 === true ? 23 : 52));
}

const unitNames: ReadonlyMap<string, Unit> = new Map(
  Object.entries({
    h: 'h|hr|hrs|hours',
    min: 'min|mins|minutes',
    s: 's|sec|secs|seconds',
    ms: 'ms|msec|millis|milliseconds',
    us: 'us|µs|μs|usec|micros|microseconds',
    ns: 'ns|nsec|nanos|nanoseconds',
  }).flatMap(([unit, names]) => names.split('|').map((name) => [name, unit as Unit] as const)),
);

/** The unit of numbers from a start: by the name, or seconds where they have decimals. */
function unitOf({ name }: SourceColumn, areWhole: boolean): Unit | undefined {
  const word = /(?:^|[^\p{L}])(\p{L}+)\W*$/u.exec(name)?.[1]?.toLowerCase() ?? '';
  const camel = /\p{Ll}(Ms|Us|Ns|US|MS|NS)$/u.exec(name)?.[1]?.toLowerCase() ?? '';
  const named = unitNames.get(word) ?? unitNames.get(camel);
  if (named !== undefined || !areWhole) return named ?? 's';
  return name === timestampName ? 'ns' : undefined;
}

function checkNoStart(name: string, start: bigint | undefined): void {
  if (start !== undefined && start !== 0n)
    throw new TableFault(`--start has no meaning here: the times of ${name} have a date`);
}

function fromText(isFrom: boolean, start: bigint | undefined): string {
  return isFrom ? ` from ${momentText(start ?? 0n)}` : '';
}

function formText(form: TimeForm): string {
  if (form === 'iso') return 'ISO 8601';
  return textForms.includes(form) ? `as ${form}` : unitText[form as Unit];
}
