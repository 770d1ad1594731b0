import { createMetadata, type Metadata } from '../metadata.ts';
import { bareLine } from './comment-marks.ts';
import { type DateOrder, type FoundMoment, findMoment, nsOfDay } from './dates.ts';
import { delimitedParser } from './delimited.ts';
import type { Separator } from './text-layout.ts';

/** What the lines above a table say. */
export interface Preamble {
  /** Midnight of the day of the start, ns since the Unix epoch. */
  readonly day: bigint | undefined;
  /** Of the start, ns since midnight. */
  readonly clock: bigint | undefined;
  /** What the zone of that clock adds to UTC, ns; undefined where none is named. */
  readonly offset: bigint | undefined;
  /** Ends of laps, ns after the start, in order. */
  readonly beacons: readonly bigint[];
  readonly metadata: Readonly<Record<string, string>>;
  /** What of it has another name, or is left out. */
  readonly metadataNotes: readonly string[];
  /** By the place of a column: what some formats say of units there. */
  readonly units: readonly string[];
}

const dayKeys =
  /^(?:log |start |recording |measurement |creation |session )?(?:date|datum|date\/time|date time|time stamp)$|^created|^creation time|^recorded|^recording (?:started|start)|^start(?:ed)?(?: time| at)?$|^(?:file|log) created|^aufnahme|^beginn/i;
const clockKeys = /^(?:log |start |recording |measurement )?(?:time|zeit|uhrzeit)$/i;
const metadataKeys: ReadonlyMap<string, string> = new Map(
  Object.entries({
    driver: 'driver',
    'driver name': 'driver',
    racer: 'driver',
    vehicle: 'vehicle',
    car: 'vehicle',
    venue: 'venue',
    track: 'venue',
    'track name': 'venue',
    circuit: 'venue',
    session: 'session',
    'session title': 'session',
    event: 'event',
    championship: 'championship',
    comment: 'comment',
    comments: 'comment',
    note: 'comment',
    notes: 'comment',
    device: 'device',
  }),
);

const mostBeacons = 100_000;

/** @param order of a day and a month in numbers */
export function readPreamble(lines: readonly string[], separator: Separator, order: DateOrder): Preamble {
  const start = new StartFinder(order);
  let beacons: bigint[] = [];
  let units: readonly string[] = [];
  const metadata = createMetadata();
  for (const marked of lines) {
    const line = bareLine(marked);
    const [first = '', ...others] = cellsOf(line, separator);
    const split = /^([^:]{1,40}?)\s*:\s+(.*)$/.exec(first);
    const key = (split?.[1] ?? first).trim().replace(/:$/, '');
    const rest = split === null ? others : [split[2]!, ...others];
    const values = rest.map((value) => value.trim());
    const text =
      split === null
        ? (values.find((value) => value !== '') ?? '')
        : withoutEmptyCells(values.join(separator));
    if (dayKeys.test(key)) start.seeDay(values.length > 0 ? values.join(' ') : line);
    else if (clockKeys.test(key)) start.seeClock(text);
    else if (/^beacon markers$/i.test(key)) beacons = beaconsOf(values);
    else if (/^y_unit_label$/i.test(key)) units = ['', ...values];
    const name = metadataKeys.get(key.toLowerCase());
    if (name !== undefined && text !== '') metadata.add(name, text);
  }
  return { ...start.end(), beacons, metadata: metadata.entries, metadataNotes: notesOf(metadata), units };
}

function notesOf({ leftOut, notes }: Metadata): string[] {
  return [...notes(), ...(leftOut.length > 0 ? [`left out: ${leftOut.join(', ')}`] : [])];
}

/** Finds when a recording began: a day, with its clock or with one in another line. */
class StartFinder {
  private readonly order: DateOrder;
  private day: bigint | undefined;
  private clock: bigint | undefined;
  private offsetAt: FoundMoment['offsetAt'];

  constructor(order: DateOrder) {
    this.order = order;
  }

  seeDay(text: string): void {
    const found = findMoment(text, this.order);
    if (found.day === undefined) return;
    this.day = found.day;
    this.take(found);
  }

  seeClock(text: string): void {
    this.take(findMoment(text, this.order));
  }

  end(): Pick<Preamble, 'day' | 'clock' | 'offset'> {
    const { day, offsetAt } = this;
    const clock = this.clock === undefined ? undefined : this.clock % nsOfDay;
    return { day, clock, offset: day === undefined ? undefined : offsetAt?.(day + (clock ?? 0n)) };
  }

  private take({ clock, offsetAt }: FoundMoment): void {
    if (clock !== undefined) [this.clock, this.offsetAt] = [clock, offsetAt];
  }
}

/** Without separators at the end. An expression would look at each run of them again from each of its places. */
function withoutEmptyCells(text: string): string {
  let end = text.length;
  while (end > 0 && ',;\t'.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}

function cellsOf(line: string, separator: Separator): readonly string[] {
  // Keys and values have no spaces between them that separate cells.
  if (separator === ' ') return [line];
  const parser = delimitedParser(separator);
  try {
    return [...parser.push(line), ...parser.end()][0]?.cells ?? [];
  } catch {
    return line.split(separator);
  }
}

function beaconsOf(values: readonly string[]): bigint[] {
  const seconds = values
    .flatMap((value) => value.split(/[\s;]+/))
    .filter((text) => text !== '')
    .slice(0, mostBeacons)
    .map((text) => Number(text.replace(',', '.')))
    .filter((number) => Number.isFinite(number) && number >= 0 && number < 1e9);
  return seconds.sort((a, b) => a - b).map((number) => BigInt(Math.round(number * 1e9)));
}
