import type { ChannelLook } from './looks.ts';
import type { MathChannel } from './math-text.ts';
import type { Beside, Mode, XyAs, XyExtra } from './modes.ts';
import type { ChannelNames } from './names-text.ts';
import type { LapRef, LapSource, StreamRef, TimeRange } from './refs.ts';
import type { Shifts } from './shifts.ts';

/** What stands on the right of the plots; `none` where it is folded away. */
export type Panel = 'laps' | 'measure' | 'map' | 'events' | 'none';

export type Zone = 'utc' | 'local';

/** A page of a view, beside which there are others. */
export interface Sheet {
  readonly name: string;
  /** How it is looked at, as an address; empty of the sheet that is shown, and of one that was never left. */
  readonly parts: string;
}

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
  /** Axes that are logarithmic, by the first parameter that has them in its plot. */
  readonly logs: readonly string[];
  /** How channels look, where somebody chose it. */
  readonly looks: Readonly<Record<string, ChannelLook>>;
  /** Units that all channels of their kind are shown in. */
  readonly units: readonly string[];
  /** Parameters that are drawn as states along time: strips with labels. */
  readonly states: readonly string[];
  /** What numbers of channels are called, where it is not as their definitions say. */
  readonly names: Readonly<Record<string, ChannelNames>>;
  /** Undefined: all data of the streams. */
  readonly range: TimeRange | undefined;
  readonly mode: Mode;
  /** What counts the laps that are laid over each other, where somebody chose it or compared laps, and which of them. */
  readonly lapsBy: LapSource | undefined;
  readonly overlayValues: readonly string[];
  /** Laps of single streams that are laid over each other; where there are none, the values of all streams are. */
  readonly picks: readonly LapRef[];
  /** The parameter that overlays are aligned by; empty means time since the first row. */
  readonly alignBy: string;
  readonly shifts: Shifts;
  /** Where sectors of a lap end, along its distance, in order; the last one ends at the line. */
  readonly sectors: readonly number[];
  /** What ends sectors in the place of these: `event:` or `channel:` and a name; empty where nothing does. */
  readonly beacons: string;
  /** When a film begins, ns; undefined where nobody said it. */
  readonly video: bigint | undefined;
  /** What is seen of the axis of overlays, in its unit; undefined: all. */
  readonly across: readonly [number, number] | undefined;
  /** XY plots: across, up, colour. */
  readonly xy: readonly [string, string, string];
  /** How their rows are drawn, empty as lines, and what is drawn around them. */
  readonly xyAs: XyAs;
  readonly xyWith: readonly XyExtra[];
  readonly beside: readonly Beside[];
  /** Whose values the histogram counts; empty for the first plotted parameter. */
  readonly histogram: string;
  /** The same of the spectrum. */
  readonly spectrum: string;
  /** The window that it is made under, empty for Hann, and of how many pieces it is the mean. */
  readonly spectrumWindow: string;
  readonly spectrumPieces: number;
  /** The channels of the report; empty for those that are plotted. */
  readonly report: readonly string[];
  /** Whether its rows are runs, where there are laps too. */
  readonly reportRuns: boolean;
  /** The column that its rows are in order of, with a `-` before it where the largest comes first; empty for their own order. */
  readonly reportSort: string;
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
  /** Pages of the view in their order; empty where there is one alone. */
  readonly sheets: readonly Sheet[];
  /** Which of them is shown. */
  readonly sheet: number;
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
  logs: [],
  looks: {},
  units: [],
  states: [],
  names: {},
  range: undefined,
  mode: 'time',
  lapsBy: undefined,
  overlayValues: [],
  picks: [],
  alignBy: '',
  shifts: {},
  sectors: [],
  beacons: '',
  video: undefined,
  across: undefined,
  xy: ['', '', ''],
  xyAs: '',
  xyWith: [],
  beside: [],
  histogram: '',
  spectrum: '',
  spectrumWindow: '',
  spectrumPieces: 1,
  report: [],
  reportRuns: false,
  reportSort: '',
  map: undefined,
  bands: '',
  live: false,
  panel: 'laps',
  zone: 'utc',
  a: undefined,
  b: undefined,
  placeA: undefined,
  placeB: undefined,
  sheets: [],
  sheet: 0,
  savedId: '',
  savedTag: '',
};
