/** A stream as the page names it. */
export interface StreamRef {
  readonly topic: string;
  readonly streamId: string;
}

/** Inclusive, ns since the Unix epoch. */
export interface TimeRange {
  readonly from: bigint;
  readonly to: bigint;
}

export type Mode = 'time' | 'overlay' | 'xy' | 'table';

/** All that the page shows; its address holds it, so that it can be sent to someone and come back by the back button. */
export interface View {
  /** Words that streams are searched for. */
  readonly search: string;
  readonly topic: string;
  readonly streams: readonly StreamRef[];
  /** Plots from top to bottom, each with the parameters that it shows. */
  readonly plots: readonly (readonly string[])[];
  /** Undefined: all data of the streams. */
  readonly range: TimeRange | undefined;
  readonly mode: Mode;
  /** The tag whose values are laid over each other, and which of them. */
  readonly overlayTag: string;
  readonly overlayValues: readonly string[];
  /** The parameter that overlays are aligned by; empty means time since the first row. */
  readonly alignBy: string;
  /** What is seen of the axis of overlays, in its unit; undefined: all. */
  readonly across: readonly [number, number] | undefined;
  /** XY plots: across, up, colour. */
  readonly xy: readonly [string, string, string];
  /** A tag shown as coloured bands behind the plots; empty for none. */
  readonly bands: string;
  /** Follow what is written. */
  readonly live: boolean;
}

export const emptyView: View = {
  search: '',
  topic: '',
  streams: [],
  plots: [],
  range: undefined,
  mode: 'time',
  overlayTag: '',
  overlayValues: [],
  alignBy: '',
  across: undefined,
  xy: ['', '', ''],
  bands: '',
  live: false,
};

const modes: readonly Mode[] = ['time', 'overlay', 'xy', 'table'];

/** `#q=…&s=topic/id&p=Speed,EngineRPM&p=Gear&from=…&to=…`; what is empty is left out. */
export function formatView(view: View): string {
  const fields: [string, string][] = [];
  const add = (name: string, value: string) => {
    if (value !== '') fields.push([name, value]);
  };
  add('q', view.search);
  add('topic', view.topic);
  for (const { topic, streamId } of view.streams) add('s', joined([topic, streamId], '/'));
  for (const parameters of view.plots) add('p', joined(parameters, ','));
  if (view.range !== undefined) {
    add('from', String(view.range.from));
    add('to', String(view.range.to));
  }
  if (view.mode !== 'time') add('mode', view.mode);
  add('tag', view.overlayTag);
  for (const value of view.overlayValues) add('value', value);
  add('by', view.alignBy);
  if (view.across !== undefined) add('across', view.across.join('~'));
  if (view.xy.some((name) => name !== '')) add('xy', joined(view.xy, ','));
  add('bands', view.bands);
  if (view.live) add('live', '1');
  const text = fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return text === '' ? '' : `#${text}`;
}

/** What cannot be understood is left out: an address may have been typed. */
export function parseView(hash: string): View {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const from = nanoseconds(fields.get('from'));
  const to = nanoseconds(fields.get('to'));
  const mode = fields.get('mode') as Mode;
  const [x = '', y = '', colour = ''] = split(fields.get('xy') ?? '', ',');
  return {
    search: fields.get('q') ?? '',
    topic: fields.get('topic') ?? '',
    streams: fields.getAll('s').flatMap((text) => {
      const [topic, streamId] = split(text, '/');
      return topic === undefined || streamId === undefined ? [] : [{ topic, streamId }];
    }),
    plots: fields.getAll('p').map((text) => split(text, ',').filter((name) => name !== '')),
    range: from !== undefined && to !== undefined && from <= to ? { from, to } : undefined,
    mode: modes.includes(mode) ? mode : 'time',
    overlayTag: fields.get('tag') ?? '',
    overlayValues: fields.getAll('value'),
    alignBy: fields.get('by') ?? '',
    across: numbers(fields.get('across')),
    xy: [x, y, colour],
    bands: fields.get('bands') ?? '',
    live: fields.get('live') === '1',
  };
}

/** Two numbers, the first one less. */
function numbers(text: string | null): [number, number] | undefined {
  const [from = Number.NaN, to = Number.NaN] = (text ?? '').split('~').map((part) => Number(part || 'none'));
  return from < to && Number.isFinite(from) && Number.isFinite(to) ? [from, to] : undefined;
}

function nanoseconds(text: string | null): bigint | undefined {
  return text !== null && /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
}

/** Names with a mark between them; a mark inside of a name has a backslash before it. */
function joined(names: readonly string[], mark: string): string {
  return names.map((name) => name.replaceAll('\\', '\\\\').replaceAll(mark, `\\${mark}`)).join(mark);
}

function split(text: string, mark: string): string[] {
  const names = [''];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === mark) names.push('');
    else names[names.length - 1] += text[i] === '\\' && i + 1 < text.length ? text[++i]! : text[i]!;
  }
  return names;
}
