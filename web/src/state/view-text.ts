import { formatMath, type MathChannel, parseMath } from './math-text.ts';
import { type Beside, besideIn, type Mode, modeIn } from './modes.ts';
import type { LapRef, StreamRef, TimeRange } from './refs.ts';
import {
  heightsOf,
  joined,
  nanoseconds,
  number,
  numbers,
  scalesOf,
  scalesText,
  split,
  threeOf,
} from './text-parts.ts';

export type { Beside, Mode } from './modes.ts';
export type { LapRef, StreamRef, TimeRange } from './refs.ts';

/** What stands on the right of the plots; `none` where it is folded away. */
export type Panel = 'laps' | 'measure' | 'map' | 'events' | 'none';

export type Zone = 'utc' | 'local';

/** All that the page shows; its address holds it, so that it can be sent to someone and come back by the back button. */
export interface View {
  /** Words that streams are searched for. */
  readonly search: string;
  readonly topic: string;
  readonly streams: readonly StreamRef[];
  /** Plots from top to bottom, each with the parameters that it shows. */
  readonly plots: readonly (readonly string[])[];
  /** Channels that are calculated, and that no topic keeps. */
  readonly math: readonly MathChannel[];
  /** Shares of the height, by the first parameter of a plot; 1 where there is none. */
  readonly heights: Readonly<Record<string, number>>;
  /** Least and largest value of an axis, by the first parameter that has it in its plot; others fit what is seen. */
  readonly scales: Readonly<Record<string, readonly [number, number]>>;
  /** Parameters that are drawn as states along time: strips with labels. */
  readonly states: readonly string[];
  /** Undefined: all data of the streams. */
  readonly range: TimeRange | undefined;
  readonly mode: Mode;
  /** The tag whose values are laid over each other, and which of them. */
  readonly overlayTag: string;
  readonly overlayValues: readonly string[];
  /** Laps of single streams that are laid over each other; where there are none, the values of all streams are. */
  readonly picks: readonly LapRef[];
  /** The parameter that overlays are aligned by; empty means time since the first row. */
  readonly alignBy: string;
  /** What is seen of the axis of overlays, in its unit; undefined: all. */
  readonly across: readonly [number, number] | undefined;
  /** XY plots: across, up, colour. */
  readonly xy: readonly [string, string, string];
  readonly beside: readonly Beside[];
  /** Whose values the histogram counts; empty for the first plotted parameter. */
  readonly histogram: string;
  /** The map: across, up, colour (empty: by line); undefined where they are found by name. */
  readonly map: readonly [string, string, string] | undefined;
  /** A tag shown as coloured bands behind the plots; empty for none. */
  readonly bands: string;
  /** Follow what is written. */
  readonly live: boolean;
  readonly panel: Panel;
  /** Whose clock times are told by. */
  readonly zone: Zone;
  /** The two cursors that stay, ns; undefined where they are not set. */
  readonly a: bigint | undefined;
  readonly b: bigint | undefined;
  /** The same on the axis that laps are laid over. */
  readonly placeA: number | undefined;
  readonly placeB: number | undefined;
  /** The saved view that this comes from, and the state of it (its `ETag`); an id alone is one that is yet to be opened. */
  readonly savedId: string;
  readonly savedTag: string;
}

export const emptyView: View = {
  search: '',
  topic: '',
  streams: [],
  plots: [],
  math: [],
  heights: {},
  scales: {},
  states: [],
  range: undefined,
  mode: 'time',
  overlayTag: '',
  overlayValues: [],
  picks: [],
  alignBy: '',
  across: undefined,
  xy: ['', '', ''],
  beside: [],
  histogram: '',
  map: undefined,
  bands: '',
  live: false,
  panel: 'laps',
  zone: 'utc',
  a: undefined,
  b: undefined,
  placeA: undefined,
  placeB: undefined,
  savedId: '',
  savedTag: '',
};

const panels: readonly Panel[] = ['laps', 'measure', 'map', 'events', 'none'];

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
  for (const channel of view.math) add('m', formatMath(channel));
  add('h', joined(Object.entries(view.heights).flat().map(String), ','));
  add('y', scalesText(view.scales));
  add('states', joined(view.states, ','));
  if (view.range !== undefined) {
    add('from', String(view.range.from));
    add('to', String(view.range.to));
  }
  if (view.mode !== 'time') add('mode', view.mode);
  add('tag', view.overlayTag);
  for (const value of view.overlayValues) add('value', value);
  for (const { stream, value } of view.picks)
    add('pick', joined([stream.topic, stream.streamId, value], '/'));
  add('by', view.alignBy);
  if (view.across !== undefined) add('across', view.across.join('~'));
  if (view.xy.some((name) => name !== '')) add('xy', joined(view.xy, ','));
  add('beside', view.beside.join(','));
  add('histogram', view.histogram);
  if (view.map !== undefined) add('map', joined(view.map, ','));
  add('bands', view.bands);
  if (view.live) add('live', '1');
  if (view.panel !== emptyView.panel) add('panel', view.panel);
  if (view.zone !== emptyView.zone) add('zone', view.zone);
  if (view.a !== undefined) add('a', String(view.a));
  if (view.b !== undefined) add('b', String(view.b));
  if (view.placeA !== undefined) add('pa', String(view.placeA));
  if (view.placeB !== undefined) add('pb', String(view.placeB));
  add('view', view.savedId);
  add('etag', view.savedTag);
  const text = fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return text === '' ? '' : `#${text}`;
}

/** What cannot be understood is left out: an address may have been typed. */
export function parseView(hash: string): View {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const from = nanoseconds(fields.get('from'));
  const to = nanoseconds(fields.get('to'));
  const panel = fields.get('panel') as Panel;
  const map = fields.get('map');
  return {
    search: fields.get('q') ?? '',
    topic: fields.get('topic') ?? '',
    streams: fields.getAll('s').flatMap((text) => {
      const [topic, streamId] = split(text, '/');
      return topic === undefined || streamId === undefined ? [] : [{ topic, streamId }];
    }),
    plots: fields.getAll('p').map((text) => split(text, ',').filter((name) => name !== '')),
    math: parseMath(fields.getAll('m')),
    heights: heightsOf(split(fields.get('h') ?? '', ',')),
    scales: scalesOf(fields.get('y') ?? ''),
    states: split(fields.get('states') ?? '', ',').filter((name) => name !== ''),
    range: from !== undefined && to !== undefined && from <= to ? { from, to } : undefined,
    mode: modeIn(fields),
    overlayTag: fields.get('tag') ?? '',
    overlayValues: fields.getAll('value'),
    picks: fields.getAll('pick').flatMap((text) => {
      const [topic, streamId, value] = split(text, '/');
      if (topic === undefined || streamId === undefined || value === undefined) return [];
      return [{ stream: { topic, streamId }, value }];
    }),
    alignBy: fields.get('by') ?? '',
    across: numbers(fields.get('across')),
    xy: threeOf(fields.get('xy') ?? ''),
    beside: besideIn(fields),
    histogram: fields.get('histogram') ?? '',
    map: map === null ? undefined : threeOf(map),
    bands: fields.get('bands') ?? '',
    live: fields.get('live') === '1',
    panel: panels.includes(panel) ? panel : emptyView.panel,
    zone: fields.get('zone') === 'local' ? 'local' : 'utc',
    a: nanoseconds(fields.get('a')),
    b: nanoseconds(fields.get('b')),
    placeA: number(fields.get('pa')),
    placeB: number(fields.get('pb')),
    savedId: fields.get('view') ?? '',
    savedTag: fields.get('etag') ?? '',
  };
}
