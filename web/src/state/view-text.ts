import { sourceIn, sourceText } from './lap-source.ts';
import { looksOf, looksText } from './looks.ts';
import { formatMath, parseMath } from './math-text.ts';
import { besideIn, modeIn, piecesOf, xyAsIn, xyWithIn } from './modes.ts';
import { formatNames, parseNames } from './names-text.ts';
import { heightsOf, scalesOf, scalesText } from './plot-texts.ts';
import { streamsIn } from './refs.ts';
import { sectorsOf } from './sector-texts.ts';
import { shiftsOf, shiftsText } from './shifts.ts';
import { joined, nanoseconds, number, numbers, split, threeOf } from './text-parts.ts';
import { emptyView, type Panel, type Sheet, type View } from './view-shape.ts';

export type { Beside, Mode } from './modes.ts';
export type { LapRef, LapSource, StreamRef, TimeRange } from './refs.ts';
export { emptyView, type Panel, type Sheet, type View, type Zone } from './view-shape.ts';

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
  add('log', joined(view.logs, ','));
  add('look', looksText(view.looks));
  add('units', joined(view.units, ','));
  add('states', joined(view.states, ','));
  for (const [channel, names] of Object.entries(view.names)) add('names', formatNames(channel, names));
  if (view.range !== undefined) {
    add('from', String(view.range.from));
    add('to', String(view.range.to));
  }
  if (view.mode !== 'time') add('mode', view.mode);
  if (view.lapsBy?.kind === 'tag') add('tag', view.lapsBy.name);
  else if (view.lapsBy !== undefined) add('laps', sourceText(view.lapsBy));
  // An empty text is a value, too.
  for (const value of view.overlayValues) fields.push(['value', value]);
  for (const { stream, value } of view.picks)
    add('pick', joined([stream.topic, stream.streamId, value], '/'));
  add('by', view.alignBy);
  add('shift', shiftsText(view.shifts));
  add('sectors', view.sectors.join('~'));
  add('beacons', view.beacons);
  if (view.video !== undefined) add('video', String(view.video));
  if (view.across !== undefined) add('across', view.across.join('~'));
  if (view.xy.some((name) => name !== '')) add('xy', joined(view.xy, ','));
  add('xyas', view.xyAs);
  add('xywith', view.xyWith.join(','));
  add('beside', view.beside.join(','));
  add('histogram', view.histogram);
  add('spectrum', view.spectrum);
  add('window', view.spectrumWindow);
  if (view.spectrumPieces > 1) add('pieces', String(view.spectrumPieces));
  add('report', joined(view.report, ','));
  if (view.reportRuns) add('reportof', 'runs');
  add('reportsort', view.reportSort);
  if (view.map !== undefined) add('map', joined(view.map, ','));
  add('bands', view.bands);
  if (view.live) add('live', '1');
  if (view.panel !== emptyView.panel) add('panel', view.panel);
  if (view.zone !== emptyView.zone) add('zone', view.zone);
  if (view.a !== undefined) add('a', String(view.a));
  if (view.b !== undefined) add('b', String(view.b));
  if (view.placeA !== undefined) add('pa', String(view.placeA));
  if (view.placeB !== undefined) add('pb', String(view.placeB));
  for (const { name, parts } of view.sheets) add('sheet', joined([name, parts], ','));
  if (view.sheet > 0) add('sheetat', String(view.sheet));
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
  const sheets = sheetsOf(fields.getAll('sheet'));
  return {
    search: fields.get('q') ?? '',
    topic: fields.get('topic') ?? '',
    streams: streamsIn(fields),
    plots: fields.getAll('p').map((text) => split(text, ',').filter((name) => name !== '')),
    math: parseMath(fields.getAll('m')),
    heights: heightsOf(split(fields.get('h') ?? '', ',')),
    scales: scalesOf(fields.get('y') ?? ''),
    logs: split(fields.get('log') ?? '', ',').filter((name) => name !== ''),
    looks: looksOf(fields.get('look') ?? ''),
    units: split(fields.get('units') ?? '', ',').filter((name) => name !== ''),
    states: split(fields.get('states') ?? '', ',').filter((name) => name !== ''),
    names: parseNames(fields.getAll('names')),
    range: from !== undefined && to !== undefined && from <= to ? { from, to } : undefined,
    mode: modeIn(fields),
    lapsBy: sourceIn(fields),
    overlayValues: fields.getAll('value'),
    picks: fields.getAll('pick').flatMap((text) => {
      const [topic, streamId, value] = split(text, '/');
      if (topic === undefined || streamId === undefined || value === undefined) return [];
      return [{ stream: { topic, streamId }, value }];
    }),
    alignBy: fields.get('by') ?? '',
    shifts: shiftsOf(fields.get('shift') ?? ''),
    sectors: sectorsOf(fields.get('sectors') ?? ''),
    beacons: fields.get('beacons') ?? '',
    video: nanoseconds(fields.get('video')),
    across: numbers(fields.get('across')),
    xy: threeOf(fields.get('xy') ?? ''),
    xyAs: xyAsIn(fields.get('xyas')),
    xyWith: xyWithIn(fields.get('xywith')),
    beside: besideIn(fields),
    histogram: fields.get('histogram') ?? '',
    spectrum: fields.get('spectrum') ?? '',
    spectrumWindow: fields.get('window') ?? '',
    spectrumPieces: piecesOf(fields.get('pieces')),
    report: split(fields.get('report') ?? '', ',').filter((name) => name !== ''),
    reportRuns: fields.get('reportof') === 'runs',
    reportSort: fields.get('reportsort') ?? '',
    map: map === null ? undefined : threeOf(map),
    bands: fields.get('bands') ?? '',
    live: fields.get('live') === '1',
    panel: panels.includes(panel) ? panel : emptyView.panel,
    zone: fields.get('zone') === 'local' ? 'local' : 'utc',
    a: nanoseconds(fields.get('a')),
    b: nanoseconds(fields.get('b')),
    placeA: number(fields.get('pa')),
    placeB: number(fields.get('pb')),
    sheets,
    sheet: Math.max(0, Math.min(sheets.length - 1, Math.trunc(number(fields.get('sheetat')) ?? 0))),
    savedId: fields.get('view') ?? '',
    savedTag: fields.get('etag') ?? '',
  };
}

/** One that has no name is none. */
function sheetsOf(texts: readonly string[]): Sheet[] {
  return texts.flatMap((text) => {
    const [name = '', parts = ''] = split(text, ',');
    return name === '' ? [] : [{ name, parts }];
  });
}
