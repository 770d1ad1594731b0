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
  return {
    hertz: Float64Array.from(places, (place) => place * step),
    amplitudes: Float64Array.from(places, (place) => amplitudes[place]!),
  };
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
