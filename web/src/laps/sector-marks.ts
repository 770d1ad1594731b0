import { signal } from '@preact/signals';
import { distanceChannel } from '../channels/known-channels.ts';
import { client, tell } from '../session.ts';
import { mostSectors } from '../state/sector-texts.ts';
import { beacons, sectors, show, view } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { problemText } from '../ui/problem-text.ts';
import { lapList } from './lap-list.ts';

/** Whether a click on the plots over distance, or on the map, sets a mark. */
export const isMarking = signal(false);

/** Nobody sees any more that clicks set marks. */
export function stopMarking(): void {
  isMarking.value = false;
}

/** A mark that is nearer than this share of the lap is meant by a click, and is taken away. */
const near = 0.006;
/** Marks stand at whole tenths of the unit: nobody aims better. */
const digits = 1;

/** The longest way of a lap that is known; undefined where none is. */
export function wayOfLap(): number | undefined {
  const lengths = (lapList.peek().value ?? []).flatMap(({ length }) => length ?? []);
  return lengths.length === 0 ? undefined : Math.max(...lengths);
}

/** Puts marks in the place of those that are there. They stand for themselves, without beacons. */
export function setMarks(marks: readonly number[]): void {
  const own = [...new Set(marks)].sort((a, b) => a - b).slice(0, mostSectors - 1);
  show({ sectors: own, beacons: '' });
}

/** Sets a mark at a place of the way, or takes the one away that stands there. */
export function toggleMark(place: number): void {
  if (beacons.peek() !== '') {
    tell('Beacons end the sectors. To set marks, choose "none: marks" under Sectors, Beacons.');
    return;
  }
  const own = sectors.peek();
  const reach = (wayOfLap() ?? Math.max(place, ...own)) * near;
  const meant = own.find((mark) => Math.abs(mark - place) <= reach);
  if (meant !== undefined) setMarks(own.filter((mark) => mark !== meant));
  else if (place > 0) setMarks([...own, Number(place.toFixed(digits))]);
}

/** Whether places of the axis are those of the way. */
export function isAlongWay(): boolean {
  const { mode, alignBy } = view.value;
  return mode === 'overlay' && alignBy !== '' && alignBy === distanceChannel.value?.id;
}

/** The same at a time of a run: where its row at that time, or the last one before, is on the way. */
export function toggleMarkAt(stream: StreamRef, time: bigint): void {
  toggleAt(stream, time).catch((error: Error) => tell(`No mark was set: ${problemText(error)}`));
}

async function toggleAt({ topic, streamId }: StreamRef, time: bigint): Promise<void> {
  const distance = distanceChannel.peek()?.id;
  const service = client.peek();
  if (distance === undefined || service === undefined) return;
  const { data } = await service.page({
    topic,
    streamIds: [streamId],
    to: time,
    numericParameters: [{ parameterName: distance }],
    order: 'Desc',
    limit: 1,
  });
  const place = data.numericValues[distance]?.[0];
  if (place != null && Number.isFinite(place)) toggleMark(place);
}
