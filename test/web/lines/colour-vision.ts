/** Red, green and blue of linear light, 0 to 1. */
export type Linear = readonly [number, number, number];

type Matrix = readonly [Linear, Linear, Linear];

/**
 * How eyes see colours: matrices over linear light of G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, "A Physiologically-based
 * Model for Simulation of Color Vision Deficiency" (IEEE TVCG 15(6), 2009), severity 1.0.
 */
export const eyes: Readonly<Record<string, Matrix>> = {
  'full sight': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** Of `#rrggbb` (sRGB). */
export function linearOf(colour: string): Linear {
  const [red, green, blue] = partsOf(colour).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return [red!, green!, blue!];
}

export function seenBy(matrix: Matrix, colour: Linear): Linear {
  const [red, green, blue] = matrix.map((row) => {
    const sum = row[0] * colour[0] + row[1] * colour[1] + row[2] * colour[2];
    return Math.min(1, Math.max(0, sum));
  });
  return [red!, green!, blue!];
}

/** How far colours are apart: the difference ΔE*ab of CIE 1976. About 2 are just seen side by side. */
export function distance(one: Linear, other: Linear): number {
  const [a, b] = [labOf(one), labOf(other)];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** CIE L*a*b* under D65. */
function labOf([red, green, blue]: Linear): Linear {
  const x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047;
  const y = 0.2126729 * red + 0.7151522 * green + 0.072175 * blue;
  const z = (0.0193339 * red + 0.119192 * green + 0.9503041 * blue) / 1.08883;
  const [fx, fy, fz] = [x, y, z].map((t) =>
    t > 216 / 24389 ? Math.cbrt(t) : (t * 24389) / 27 / 116 + 16 / 116,
  );
  return [116 * fy! - 16, 500 * (fx! - fy!), 200 * (fy! - fz!)];
}

/** The contrast of WCAG 2, 1 to 21. */
export function contrast(one: string, other: string): number {
  const light = (colour: string) => {
    const [red, green, blue] = linearOf(colour);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  const [a, b] = [light(one), light(other)];
  return Math.max(a, b) / Math.min(a, b);
}

/** A colour drawn over another one with an opacity. */
export function over(colour: string, ground: string, alpha: number): string {
  const behind = partsOf(ground);
  const mixed = partsOf(colour).map((part, i) => Math.round(part * alpha + behind[i]! * (1 - alpha)));
  return `#${mixed.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function partsOf(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
