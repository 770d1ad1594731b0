import { useSignal } from '@preact/signals';
import type { Bounds } from '../lines/bounds.ts';
import { shortText } from '../lines/reading.ts';
import { unitOf } from '../plots/axes.ts';
import { ChartRoom, pathLook } from './chart-room.tsx';
import type { Spectra, SpectrumLine } from './spectrum-drawn.ts';
import { nearestPeak, strongestOf } from './spectrum-peaks.ts';

/** Amplitude over frequency, a line for each run or lap; arrows and the pointer read a frequency. */
export function SpectrumChart({ parameter, lines }: Pick<Spectra, 'parameter' | 'lines'>) {
  const chosen = useSignal<number | undefined>(undefined);
  const unit = unitOf(parameter);
  // Keys go along the one that has most to say.
  const { hertz } = lines.reduce((best, line) =>
    line.peaks.hertz.length > best.peaks.hertz.length ? line : best,
  ).peaks;
  const last = hertz.length - 1;
  const most = Math.max(...lines.map(({ peaks }) => peaks.hertz.at(-1)!));
  const at = chosen.value === undefined ? undefined : Math.min(most, Math.max(0, chosen.value));
  const places = lines.map(({ peaks }) => (at === undefined ? undefined : nearestPeak(peaks, at)));
  const text = at === undefined ? '' : readText(lines, places, unit);
  const up = decadesOf(lines);
  const onKey = (key: string): boolean => {
    const own = at === undefined ? -1 : (nearestPeak({ hertz, amplitudes: hertz }, at) ?? last);
    const next = {
      ArrowLeft: Math.max(0, own - 1),
      ArrowRight: Math.min(last, own + 1),
      PageDown: Math.max(0, own - 20),
      PageUp: Math.min(last, own + 20),
      Home: 0,
      End: last,
    }[key];
    if (next !== undefined) chosen.value = hertz[next]!;
    return next !== undefined;
  };
  return (
    <>
      <output
        class="bin"
        aria-label="Amplitude at the frequency"
        style={{ '--lines': lines.length > 1 ? lines.length + 1 : 1 }}
      >
        {text ||
          `Strongest: ${readText(
            lines,
            lines.map(({ peaks }) => strongestOf(peaks)),
            unit,
          )}`}
      </output>
      <ChartRoom
        label={`Frequency of the spectrum of ${parameter}`}
        chosen={at === undefined ? undefined : { at, text }}
        most={most}
        across={[0, most]}
        up={up}
        upTicks={wholeNumbers(up)}
        xLabel="Hz"
        tickText={(decade) => shortText(Number((10 ** decade).toPrecision(1)))}
        onKey={onKey}
        onPoint={(value) => {
          chosen.value = value;
        }}
        draw={({ xOf, yOf, top, bottom }) => (
          <>
            {lines.map((line) => (
              <path
                key={line.label}
                {...pathLook(line, false)}
                d={linePath(line, xOf, (amplitude) => yOf(decadeOf(amplitude, up)))}
              />
            ))}
            {at !== undefined && <line class="at-cursor" x1={xOf(at)} x2={xOf(at)} y1={top} y2={bottom} />}
            {lines.map(({ label, colour, peaks }, i) => {
              const place = places[i];
              if (place === undefined) return null;
              const [x, y] = [xOf(peaks.hertz[place]!), yOf(decadeOf(peaks.amplitudes[place]!, up))];
              return <circle key={label} cx={x} cy={y} r={3.5} fill={colour} />;
            })}
          </>
        )}
      />
    </>
  );
}

/** Amplitudes are drawn by their logarithm: so many powers of ten below the largest one. */
const decades = 4;

/** From which power of ten to which. */
function decadesOf(lines: readonly SpectrumLine[]): Bounds {
  const most = Math.max(...lines.map(({ peaks }) => peaks.amplitudes[strongestOf(peaks)]!));
  const high = most > 0 ? Math.log10(most) + 0.1 : 0;
  return [high - decades, high];
}

/** What is less than the axis has stands on its ground. */
function decadeOf(amplitude: number, [low]: Bounds): number {
  return amplitude > 0 ? Math.max(low, Math.log10(amplitude)) : low;
}

function wholeNumbers([low, high]: Bounds): number[] {
  const first = Math.ceil(low);
  return Array.from({ length: Math.floor(high) - first + 1 }, (_, i) => first + i);
}

function linePath(
  { peaks: { hertz, amplitudes } }: SpectrumLine,
  xOf: (value: number) => number,
  yOf: (value: number) => number,
): string {
  const points = Array.from(hertz, (at, i) => `${xOf(at).toFixed(1)} ${yOf(amplitudes[i]!).toFixed(1)}`);
  return `M${points.join('L')}`;
}

/** `12.5 Hz: 0.83 bar`, of each line. */
function readText(
  lines: readonly SpectrumLine[],
  places: readonly (number | undefined)[],
  unit: string,
): string {
  const told = lines.map(({ label, peaks }, i) => {
    const place = places[i];
    const [at, amplitude] = place === undefined ? [] : [peaks.hertz[place]!, peaks.amplitudes[place]!];
    const text =
      at === undefined || amplitude === undefined
        ? 'nothing so fast'
        : `${shortText(at)} Hz: ${shortText(amplitude)} ${unit}`.trim();
    return lines.length > 1 ? `${label}, ${text}` : text;
  });
  return told.join('; ');
}
