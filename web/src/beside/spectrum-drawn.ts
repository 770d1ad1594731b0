import { computed } from '@preact/signals';
import { lookAmong } from '../channels/looks.ts';
import { plottedNumbers } from '../channels/plotted.ts';
import type { Look } from '../lines/colours.ts';
import { reader } from '../lines/reader.ts';
import { stable } from '../state/stable.ts';
import { beside, isLive, mode, view } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';
import { type Part, partsNow, restingBeat } from './parts.ts';
import { loadSpectra, type Spectrum } from './spectrum-load.ts';
import { type Peaks, peaksOf } from './spectrum-peaks.ts';
import { windowIn } from './windows.ts';

/** Whose frequencies are shown. */
export const shownChannel = computed(() => view.value.spectrum || (plottedNumbers.value[0] ?? ''));

/** A run or a lap, as the spectrum shows it. */
export interface SpectrumLine extends Look {
  readonly label: string;
  readonly spectrum: Spectrum;
  readonly peaks: Peaks;
}

export interface Spectra {
  readonly parameter: string;
  readonly lines: readonly SpectrumLine[];
  /** Those that have too few rows without a gap. */
  readonly without: readonly string[];
}

/** How it is made. */
export const way = stable(() => ({
  window: windowIn(view.value.spectrumWindow),
  pieces: view.value.spectrumPieces,
}));

const resting = restingBeat();

const load = loaded<{
  readonly parameter: string;
  readonly parts: readonly Part[];
  readonly spectra: readonly (Spectrum | undefined)[];
}>(() => {
  const service = reader.value;
  const parameter = shownChannel.value;
  const parts = partsNow();
  const how = way.value;
  const isSeen = beside.value.includes('spectrum') && mode.value !== 'table';
  if (service === undefined || parameter === '' || parts.length === 0 || !isSeen) return undefined;
  return async (signal) => ({
    parameter,
    parts,
    spectra: await resting.read(() => loadSpectra(service, parameter, parts, how, signal)),
  });
}, resting.now);

/** How it went, and how to try again. */
export const loading = computed(() => {
  const { busy, error, retry, value } = load.value;
  // Live, rows are read all the time.
  return { busy: busy && !(isLive.value && value !== undefined), error, retry };
});

/** Undefined before anything was read. */
export const spectra = computed<Spectra | undefined>(() => {
  const { value } = load.value;
  if (value === undefined) return undefined;
  const { parameter, parts } = value;
  const lines = parts.flatMap(({ label, index }, i): SpectrumLine[] => {
    const spectrum = value.spectra[i];
    if (spectrum === undefined) return [];
    return [{ label, ...lookAmong(parameter, index, parts.length), spectrum, peaks: peaksOf(spectrum) }];
  });
  const without = parts.filter((_, i) => value.spectra[i] === undefined).map(({ label }) => label);
  return { parameter, lines, without };
});
