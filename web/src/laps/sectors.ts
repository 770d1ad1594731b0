import { computed } from '@preact/signals';
import { reader } from '../lines/reader.ts';
import { isStream } from '../state/same-stream.ts';
import { beacons, beside, sectors, streams } from '../state/view.ts';
import { later, loaded } from '../ui/loading.ts';
import { loadEventSplits, loadRiseSplits } from './beacon-splits.ts';
import { lapList } from './lap-list.ts';
import { byLap } from './lap-selection.ts';
import { lapSource } from './lap-source.ts';
import { lapWays, wayChannel } from './lap-ways.ts';
import { loadMarkSplits } from './mark-splits.ts';
import type { SplitLap } from './sector-times.ts';

/** What ends sectors, when it is no marks along the way. */
export interface Beacon {
  readonly kind: 'event' | 'channel';
  readonly name: string;
}

/** Undefined where marks do. */
export const beacon = computed<Beacon | undefined>(() => {
  const [, kind, name] = /^(event|channel):(.+)$/su.exec(beacons.value) ?? [];
  return kind === undefined || name === undefined ? undefined : { kind: kind as Beacon['kind'], name };
});

const isSeen = computed(() => beside.value.includes('sectors'));

/** Laps of all open runs by their sectors, run by run. */
export const splitLaps = loaded<SplitLap[]>(() => {
  const service = reader.value;
  const source = lapSource.value;
  const { value: known, busy } = lapList.value;
  const open = streams.value;
  const [marks, by, channel] = [sectors.value, beacon.value, wayChannel.value];
  const { value: ways, error } = lapWays.value;
  if (service === undefined || !isSeen.value || source.kind === 'none' || known === undefined || busy)
    return undefined;
  if (by === undefined && (channel === undefined || marks.length === 0)) return undefined;
  if (by === undefined && (ways?.channel !== channel || ways?.laps !== known))
    return error === undefined ? later : () => Promise.reject(error);
  return async (signal) => {
    const loads = open.map((stream) => {
      const own = known.filter((lap) => isStream(lap.stream, stream));
      const wish = { stream, laps: own, by: byLap(source, own) };
      if (by === undefined) return loadMarkSplits(service, wish, ways!, marks, signal);
      const load = { event: loadEventSplits, channel: loadRiseSplits }[by.kind];
      return load(service, wish, by.name, signal);
    });
    return (await Promise.all(loads)).flat();
  };
});

/** How many sectors a lap has. */
export const sectorCount = computed(() =>
  Math.max(0, ...(splitLaps.value.value ?? []).map(({ ends }) => ends.length)),
);
