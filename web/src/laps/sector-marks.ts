import { signal } from '@preact/signals';
import { distanceChannel } from '../channels/known-channels.ts';
import { isCalculated } from '../lines/calculated.ts';
import { reader } from '../lines/reader.ts';
import { tell } from '../session.ts';
import { isStream } from '../state/same-stream.ts';
import { mostSectors, roundMark } from '../state/sector-texts.ts';
import { beacons, sectors, show, view } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { problemText } from '../ui/problem-text.ts';
import { lapList } from './lap-list.ts';
import { lapWays, timeOfLap, wayChannel } from './lap-ways.ts';

/** Whether a click on the plots over distance, or on the map, sets a mark. */
export const isMarking = signal(false);

/** Nobody sees any more that clicks set marks. */
export function stopMarking(): void {
  isMarking.value = false;
}

/** A mark that is nearer than this share of the lap is meant by a click, and is taken away. */
const near = 0.006;

/** The longest way of a lap that is known; undefined where none is. */
export function wayOfLap(): number | undefined {
  const channel = wayChannel.value;
  const known = channel === distanceChannel.value?.id ? (lapList.value.value ?? []) : [];
  const lengths = known.flatMap(({ length }) => length ?? []);
  if (lengths.length > 0) return Math.max(...lengths);
  const { value } = lapWays.value;
  const whole = value?.channel === channel ? (value?.ways ?? []).filter(({ lap }) => lap.isWhole) : [];
  return whole.length === 0 ? undefined : Math.max(...whole.map(({ end }) => end));
}

/** Puts marks in the place of those that are there. They stand for themselves, without beacons. */
export function setMarks(marks: readonly number[]): void {
  const own = [...new Set(marks)]
    .filter((mark) => mark > 0)
    .sort((a, b) => a - b)
    .slice(0, mostSectors - 1);
  show({ sectors: own, beacons: '' });
}

/** Sets a mark at a place of the way, or takes the one away that stands there. */
export function toggleMark(place: number): void {
  if (beacons.peek() !== '') {
    tell('Beacons end the sectors. To set marks, choose "none: marks" under Sectors, Beacons.');
    return;
  }
  const own = sectors.peek();
  const way = wayOfLap() ?? Math.max(place, ...own);
  const reach = way * near;
  const meant = own.find((mark) => Math.abs(mark - place) <= reach);
  if (meant !== undefined) setMarks(own.filter((mark) => mark !== meant));
  else if (place > 0) setMarks([...own, roundMark(place, way, true)]);
}

/** Whether places of the axis are those of the way. */
export function isAlongWay(): boolean {
  return view.value.mode === 'overlay' && view.value.alignBy !== '';
}

/** The same at a time of a run: where its row at that time, or the last one before, is on the way. */
export function toggleMarkAt(stream: StreamRef, time: bigint): void {
  toggleAt(stream, time).catch((error: Error) => tell(`No mark was set: ${problemText(error)}`));
}

async function toggleAt(stream: StreamRef, time: bigint): Promise<void> {
  const { topic, streamId } = stream;
  const channel = wayChannel.peek();
  const { value: ways } = lapWays.peek();
  const service = reader.peek();
  if (channel === undefined || service === undefined) return;
  const way = ways?.ways.findLast(({ lap }) => isStream(lap.stream, stream) && lap.start <= time);
  const { data } = await service.page({
    topic,
    streamIds: [streamId],
    // What is calculated along rows begins in the lap.
    ...(way && isCalculated(channel) && { from: timeOfLap(way.lap).from }),
    to: time,
    numericParameters: [{ parameterName: channel }],
    order: 'Desc',
    limit: 1,
  });
  const place = data.numericValues[channel]?.[0];
  if (place != null && Number.isFinite(place)) toggleMark(place - (way?.origin ?? 0));
}
