/**
 * Windows by their cosine terms: w(i) = a0 − a1 cos(x) + a2 cos(2x) − …, x = 2πi/n. Hann and Blackman–Harris after F. J.
 * Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform" (Proc. IEEE 66, 1978), flat top
 * as HFT90D of G. Heinzel et al., "Spectrum and spectral density estimation by the DFT" (2002).
 */
const terms = {
  hann: [0.5, 0.5],
  'blackman-harris': [0.35875, 0.48829, 0.14128, 0.01168],
  'flat-top': [1, 1.942604, 1.340318, 0.440811, 0.043097],
  none: [1],
} as const;

export type WindowName = keyof typeof terms;

export const windowNames = Object.keys(terms) as readonly WindowName[];

/** What each is called, and what it is good for. */
export const windowTexts: Readonly<Record<WindowName, readonly [name: string, use: string]>> = {
  hann: ['Hann', 'for frequencies that lie close together'],
  'blackman-harris': ['Blackman–Harris', 'for a weak frequency beside a strong one'],
  'flat-top': ['flat top', 'for exact amplitudes'],
  none: ['none', 'for rows that hold whole periods'],
};

export function windowIn(text: string): WindowName {
  return windowNames.find((name) => name === text) ?? 'hann';
}

/** The weights of so many values. */
export function weightsOf(name: WindowName, length: number): Float64Array {
  const own = terms[name];
  return Float64Array.from({ length }, (_, i) => {
    const x = (2 * Math.PI * i) / length;
    return own.reduce((sum, term, k) => sum + (k % 2 === 0 ? term : -term) * Math.cos(k * x), 0);
  });
}
