import { computed } from '@preact/signals';
import { openParameters } from '../channels/parameters.ts';
import { plottedNumbers } from '../channels/plotted.ts';
import { lapList, lapOf, lapTime } from '../laps/lap-list.ts';
import { byLap } from '../laps/lap-selection.ts';
import { isLapSourceKnown, lapSource } from '../laps/lap-source.ts';
import { reader } from '../lines/reader.ts';
import { countersAmong } from '../math/counters.ts';
import { unitOf } from '../plots/axes.ts';
import { streamName } from '../runs/stream-name.ts';
import { isStream } from '../state/same-stream.ts';
import { stable } from '../state/stable.ts';
import { beside, isLive, mode, streams, view } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { later, loaded } from '../ui/loading.ts';
import { restingBeat } from './parts.ts';
import { loadReport, type ReportRow } from './report-load.ts';
import { inOrder, type NamedRow } from './report-rows.ts';

const chosen = stable(() => view.value.report);
const isOfRuns = computed(() => view.value.reportRuns);

/** The channels of the report: those that were chosen, or that are plotted. */
export const reported = stable(() =>
  chosen.value.length > 0 ? [...new Set(chosen.value)] : plottedNumbers.value,
);

/** They with their names and units. */
export const reportedChannels = computed(() =>
  reported.value.map((id) => ({
    id,
    name: openParameters.value.value?.find((own) => own.id === id)?.name ?? id,
    unit: unitOf(id),
  })),
);

const resting = restingBeat();

const load = loaded<ReportRow[]>(() => {
  const service = reader.value;
  const open = streams.value;
  const channels = reported.value;
  const isSeen = beside.value.includes('report') && mode.value !== 'table';
  if (service === undefined || !isSeen || open.length === 0 || channels.length === 0) return undefined;
  if (!isLapSourceKnown.value) return later;
  const source = lapSource.value;
  const isOfLaps = !isOfRuns.value && source.kind !== 'none';
  // A lap that has ended has rows that were not there before.
  const { value: laps, busy } = lapList.value;
  if (isOfLaps && source.kind === 'channel' && laps === undefined && busy) return later;
  const counts = countersAmong(openParameters.value.value ?? []);
  const asked = {
    counting: channels.filter(counts),
    others: channels.filter((name) => !counts(name)),
  };
  const byOf = (stream: StreamRef) =>
    isOfLaps
      ? byLap(
          source,
          (laps ?? []).filter((lap) => isStream(lap.stream, stream)),
        )
      : undefined;
  return async (signal) =>
    resting.read(async () =>
      (
        await Promise.all(open.map((stream) => loadReport(service, stream, byOf(stream), asked, signal)))
      ).flat(),
    );
}, resting.now);

/** How it went, and how to try again. */
export const loading = computed(() => {
  const { busy, error, retry, value } = load.value;
  return { busy: busy && !(isLive.value && value !== undefined), error, retry, isKnown: value !== undefined };
});

/** Rows as they came, and in the order that was chosen; undefined before they are known. */
export const reportRows = computed<readonly NamedRow[] | undefined>(() => {
  const { value } = load.value;
  const laps = lapList.value.value ?? [];
  const rows = value?.map((row): NamedRow => {
    const lap = row.lap == null ? undefined : lapOf(laps, row.stream, row.lap);
    const seconds = lap?.isWhole ? Number(lapTime(lap)) / 1e9 : undefined;
    return { ...row, run: streamName(row.stream), seconds };
  });
  return rows && inOrder(rows, view.value.reportSort);
});
