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

/** The one colour of a channel, by its name alone: the same in every plot, list and browser. */
export function channelColour(parameter: string): string {
  return colourAt(channelSlot(parameter));
}

/** Names that differ in one letter or digit, such as those of four wheels, are apart where the letters are. */
export function channelSlot(parameter: string): number {
  const plain = parameter.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (Object.hasOwn(usual, plain)) return usual[plain]!;
  let sum = 0;
  for (const letter of parameter) sum = (sum * 31 + letter.codePointAt(0)!) % (palette.length * 1000);
  return sum % palette.length;
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

/** How a line looks, wherever it stands. */
export interface Look {
  readonly colour: string;
  readonly dash: readonly number[];
  /** What others are held against. */
  readonly isBold?: boolean;
}

/**
 * Looks of the lines of one plot: each channel has its colour, each run its dashes. Where two channels of a plot share a
 * colour, the later one has dashes of its own.
 */
export function looksOf(lines: readonly { readonly parameter: string; readonly run: number }[]): Look[] {
  const runs = 1 + Math.max(0, ...lines.map(({ run }) => run));
  const named = [...new Set(lines.map(({ parameter }) => parameter))];
  return lines.map(({ parameter, run }) => {
    const slot = channelSlot(parameter);
    const before = named.slice(0, named.indexOf(parameter)).filter((other) => channelSlot(other) === slot);
    return { colour: colourAt(slot), dash: dashAt(run + runs * before.length) };
  });
}
