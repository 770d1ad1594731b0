import type { ChannelLook } from '../state/looks.ts';
import { isDark } from './scheme.ts';

/**
 * Eight colours that people tell apart however they see colours, as they were published: M. Okabe and K. Ito, "Color
 * Universal Design" (2008, https://jfly.uni-koeln.de/color/). Their order is our own: neighbours
 * are as far apart as can be, also for the colour-blind.
 */
export const palette = [
  '#0072b2', // blue
  '#d55e00', // vermillion
  '#cc79a7', // reddish purple
  '#f0e442', // yellow
  '#56b4e9', // sky blue
  '#e69f00', // orange
  '#009e73', // bluish green
  '#000000', // black
] as const;
/** What they are called, in their order. */
export const colourNames = [
  'blue',
  'vermillion',
  'reddish purple',
  'yellow',
  'sky blue',
  'orange',
  'bluish green',
  'black or white',
] as const;
const black = 7;
const yellow = 3;
/** What stands for black on a dark ground. */
const whitish = '#e6e9ef';

/** What is looked at most has the colours that loggers give it. Names are compared by their small letters and digits. */
const usual: Readonly<Record<string, number>> = {
  ...slots(0, ['speed', 'velocity', 'groundspeed', 'carspeed', 'vehiclespeed', 'vcar']),
  ...slots(1, ['brake', 'brakepressure', 'brakepedal', 'brakeposition', 'brakepos']),
  ...slots(6, ['throttle', 'throttleposition', 'throttlepos', 'throttlepedal', 'accelerator']),
  ...slots(2, ['gear']),
  ...slots(5, ['rpm', 'enginerpm', 'revs', 'enginespeed', 'nengine']),
  ...slots(4, ['steering', 'steeringangle', 'steer', 'steeredangle', 'steeringwheelangle']),
};

function slots(slot: number, names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, slot]));
}

/** A colour of the palette, as it is drawn on the ground of the page. */
export function colourAt(slot: number): string {
  const own = slot % palette.length;
  return own === black && isDark.value ? whitish : palette[own]!;
}

/** The colour that a channel takes where it is free, by its name alone. Names that differ in one letter or digit, such as those of four wheels, are apart where the letters are. */
export function channelSlot(parameter: string): number {
  const plain = plainName(parameter);
  if (Object.hasOwn(usual, plain)) return usual[plain]!;
  let sum = 0;
  for (const letter of parameter) sum = (sum * 31 + letter.codePointAt(0)!) % (palette.length * 1000);
  return sum % palette.length;
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Whether a colour needs a darker edge to be seen as a line. */
export function isFaint(colour: string): boolean {
  return colour === palette[yellow] && !isDark.value;
}

/** The same colour for the same value of a tag, whichever others are seen: numbers in turn, words by their letters. */
export function colourOfValue(value: string): string {
  if (/^\d{1,15}$/.test(value)) return colourAt(Number(value));
  return colourAt(channelSlot(value));
}

/** Lengths of dashes and of the room between them, pixels. The first line of a colour has none. */
const dashes: readonly (readonly number[])[] = [
  [],
  [8, 4],
  [2, 3],
  [10, 3, 2, 3],
  [16, 4],
  [4, 8],
  [10, 3, 2, 3, 2, 3],
  [16, 3, 4, 3],
];

/** Dashes of the lines that have one colour, such as runs and laps: the first is solid. */
export function dashAt(index: number): readonly number[] {
  return dashes[index % dashes.length]!;
}

/** What was chosen of a channel; any object has a `constructor`. */
export function lookIn(chosen: Readonly<Record<string, ChannelLook>>, name: string): ChannelLook {
  return Object.hasOwn(chosen, name) ? chosen[name]! : {};
}

/** How a line looks, wherever it stands. */
export interface Look {
  readonly colour: string;
  readonly dash: readonly number[];
  /** What others are held against. */
  readonly isBold?: boolean;
  /** How wide it is, where somebody chose that. */
  readonly width?: ChannelLook['width'];
}

/**
 * Looks of channels that are seen together: each has the colour that was chosen, or that of its name, and where another one
 * has that, the first that is free. From the ninth on they are dashed.
 */
export function looksOfChannels(
  names: readonly string[],
  chosen: Readonly<Record<string, ChannelLook>> = {},
): ReadonlyMap<string, Look> {
  const taken: string[][] = palette.map(() => []);
  const looks = new Map<string, Look>();
  // What was chosen, and what is looked at most, keep their colours.
  const rank = (name: string) =>
    lookIn(chosen, name).colour !== undefined ? 0 : Object.hasOwn(usual, plainName(name)) ? 1 : 2;
  for (const name of names.toSorted((a, b) => rank(a) - rank(b))) {
    if (looks.has(name)) continue;
    const fewest = Math.min(...taken.map(({ length }) => length));
    const { colour, width } = lookIn(chosen, name);
    const own = colour ?? channelSlot(name);
    const isOwn = colour !== undefined || taken[own]!.length === fewest;
    const slot = isOwn ? own : taken.findIndex(({ length }) => length === fewest);
    looks.set(name, { colour: colourAt(slot), dash: dashAt(taken[slot]!.length), ...(width && { width }) });
    taken[slot]!.push(name);
  }
  return looks;
}

/** The look of a run or a lap beside others: its colour tells it, from the ninth on dashes too. The first one is wide. */
export function lookOfLine(index: number): Look {
  return {
    colour: colourAt(index),
    dash: dashAt(Math.floor(index / palette.length)),
    isBold: index === 0,
  };
}

/** Looks of the lines of one plot of several runs: colours tell the run, dashes the channel. */
export function looksOfRuns(
  lines: readonly { readonly parameter: string; readonly run: number }[],
  runs: number,
): Look[] {
  const named = [...new Set(lines.map(({ parameter }) => parameter))];
  const rounds = Math.ceil(runs / palette.length);
  return lines.map(({ parameter, run }) => ({
    colour: colourAt(run),
    dash: dashAt(named.indexOf(parameter) * rounds + Math.floor(run / palette.length)),
  }));
}
