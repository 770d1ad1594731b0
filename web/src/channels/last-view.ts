import { isStream } from '../state/same-stream.ts';
import { sheetParts } from '../state/sheets.ts';
import { emptyView, formatView, parseView, type StreamRef, type View } from '../state/view-text.ts';

/** How runs of a topic are looked at, whichever they are, and whenever. */
const ofTopic = [
  ...sheetParts,
  'math',
  'looks',
  'units',
  'names',
  'lapsBy',
  'alignBy',
  'sectors',
  'beacons',
  'zone',
  'sheets',
  'sheet',
] as const satisfies readonly (keyof View)[];
/** What of some runs one looks at: it says nothing of others. */
const ofRuns = [
  'range',
  'across',
  'shifts',
  'video',
  'a',
  'b',
  'placeA',
  'placeB',
] as const satisfies readonly (keyof View)[];
/** Laps stand for others of other runs: the page compares their best. */
const ofLaps = ['overlayValues', 'picks'] as const satisfies readonly (keyof View)[];

const parts = ['streams', ...ofTopic, ...ofRuns, ...ofLaps] as const;

/** What is remembered of a topic: its runs that were open last, and how they were looked at. */
export type LastView = Pick<View, (typeof parts)[number]>;

export function lastViewOf(shown: View): LastView {
  return picked(shown, parts);
}

export function formatLastView(own: LastView): string {
  return formatView({ ...emptyView, ...own });
}

export function parseLastView(text: string): LastView {
  return lastViewOf(parseView(text));
}

/** What of it is seen again where runs are opened: all of it of the same runs; of others how, and neither when nor which laps. */
export function seenAgain(kept: LastView, open: readonly StreamRef[]): Partial<View> {
  const isOfThem = open.every((stream) => kept.streams.some((own) => isStream(own, stream)));
  if (isOfThem) return picked(kept, [...ofTopic, ...ofRuns, ...ofLaps]);
  // Laps that no open run has: the best ones stand for them.
  const picks = kept.streams.flatMap((stream) => kept.overlayValues.map((value) => ({ stream, value })));
  return { ...picked(kept, ofTopic), picks: [...kept.picks, ...picks] };
}

/**
 * What is kept where two tabs have changed it: the view of the one that writes, with what the other one has chosen for the topic
 * meanwhile. Of plots, sheets, ranges and laps the last tab has all: pieces of two make no view.
 * @param shown what the tab showed when it wrote last, and `kept` what was kept then; `theirs` is what is kept now
 */
export function joinedView(own: LastView, shown: LastView, theirs: LastView, kept: LastView): LastView {
  const whole = (['units', 'lapsBy', 'alignBy', 'sectors', 'beacons', 'zone'] as const).map((name) => [
    name,
    joined(own[name], shown[name], theirs[name], kept[name]),
  ]);
  const byChannel = (['looks', 'names'] as const).map((name) => [
    name,
    joinedRecord<unknown>(own[name], shown[name], theirs[name], kept[name]),
  ]);
  const [mine, before, now, then] = [own, shown, theirs, kept].map(({ math }) =>
    Object.fromEntries(math.map((channel) => [channel.name, channel])),
  );
  const math = Object.values(joinedRecord(mine!, before!, now!, then!));
  return { ...own, ...Object.fromEntries([...whole, ...byChannel]), math };
}

type ByName<Value> = Readonly<Record<string, Value>>;

function joinedRecord<Value>(
  own: ByName<Value>,
  shown: ByName<Value>,
  theirs: ByName<Value>,
  kept: ByName<Value>,
): ByName<Value> {
  const names = [...new Set([...Object.keys(own), ...Object.keys(theirs)])];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = joined(own[name], shown[name], theirs[name], kept[name]);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function joined<Value>(own: Value, shown: Value, theirs: Value, kept: Value): Value {
  return isSame(theirs, kept) || !isSame(own, shown) ? own : theirs;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify([one]) === JSON.stringify([other]);
}

/** How others of its topic are seen over time. */
export function seenOverTime(kept: LastView): Partial<View> {
  return { ...picked(kept, ofTopic), mode: 'time' };
}

function picked<Name extends keyof View>(from: Pick<View, Name>, names: readonly Name[]): Pick<View, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<View, Name>;
}
