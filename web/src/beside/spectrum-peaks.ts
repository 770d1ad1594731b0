/** What is drawn of a spectrum: the strongest frequency of each few, so that none that is strong is lost. */
export interface Peaks {
  readonly hertz: Float64Array;
  readonly amplitudes: Float64Array;
}

/** More points cannot be told apart. */
const mostPeaks = 600;

export function peaksOf({
  amplitudes,
  step,
}: {
  readonly amplitudes: Float64Array;
  readonly step: number;
}): Peaks {
  const each = Math.ceil(amplitudes.length / mostPeaks);
  const places = Array.from({ length: Math.ceil(amplitudes.length / each) }, (_, i) => {
    let strongest = i * each;
    const end = Math.min(amplitudes.length, strongest + each);
    for (let at = strongest + 1; at < end; at++) if (amplitudes[at]! > amplitudes[strongest]!) strongest = at;
    return strongest;
  });
  const tops = places.map((place) => topOf(amplitudes, place));
  return {
    hertz: Float64Array.from(tops, ({ at }) => at * step),
    amplitudes: Float64Array.from(tops, ({ amplitude }) => amplitude),
  };
}

/** As a share of the top; the closest windows have 0.6 there. */
const leastBeside = 0.4;

/**
 * Where a frequency is stronger than both beside it, the top of the parabola through the logarithms of the three: so a sine
 * between two of them reads with its own amplitude, at its own frequency.
 */
function topOf(amplitudes: Float64Array, place: number): { readonly at: number; readonly amplitude: number } {
  const own = amplitudes[place]!;
  const [before = 0, after = 0] = [amplitudes[place - 1], amplitudes[place + 1]];
  const isTop = own >= before && own >= after && own > Math.min(before, after);
  // Beside the top of a sine it is nearly as strong; what falls off steeply is no top of one.
  const isWide = Math.min(before, after) > leastBeside * own;
  if (!isTop || !isWide) return { at: place, amplitude: own };
  const [a, b, c] = [Math.log(before), Math.log(own), Math.log(after)];
  const aside = (a - c) / (2 * (a - 2 * b + c));
  return { at: place + aside, amplitude: Math.exp(b - ((a - c) * aside) / 4) };
}

/** The point that is nearest to a frequency; undefined beyond the last one by more than half of what lies between two. */
export function nearestPeak({ hertz }: Peaks, at: number): number | undefined {
  const next = hertz.findIndex((own) => own >= at);
  if (next > 0) return at - hertz[next - 1]! < hertz[next]! - at ? next - 1 : next;
  if (next === 0) return 0;
  const last = hertz.length - 1;
  return at - hertz[last]! <= (hertz[last]! - hertz[last - 1]!) / 2 ? last : undefined;
}

/** The point with the largest amplitude. */
export function strongestOf({ amplitudes }: Peaks): number {
  return amplitudes.reduce((best, value, i) => (value > amplitudes[best]! ? i : best), 0);
}
