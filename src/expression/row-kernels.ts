import type { RowFunction } from './row-functions.ts';
import type { BinaryOperator, UnaryOperator } from './syntax.ts';

/** Writes a value for each of the first `count` rows. The output may be one of the inputs. */
export type UnaryKernel = (x: Float64Array, out: Float64Array, count: number) => void;
export type BinaryKernel = (x: Float64Array, y: Float64Array, out: Float64Array, count: number) => void;

// One loop for each operator: a loop that calls the operator as a function takes several times as long.

export const unaryKernels: Readonly<Record<UnaryOperator, UnaryKernel>> = {
  '-': (x, out, count) => {
    for (let i = 0; i < count; i++) out[i] = -x[i]!;
  },
  '!': (x, out, count) => {
    for (let i = 0; i < count; i++) out[i] = x[i] === 0 ? 1 : 0;
  },
};

export const binaryKernels: Readonly<Record<BinaryOperator, BinaryKernel>> = {
  '+': (x, y, out, count) => {
    for (let i = 0; i < count; i++) out[i] = x[i]! + y[i]!;
  },
  '-': (x, y, out, count) => {
    for (let i = 0; i < count; i++) out[i] = x[i]! - y[i]!;
  },
  '*': (x, y, out, count) => {
    for (let i = 0; i < count; i++) out[i] = x[i]! * y[i]!;
  },
  '/': (x, y, out, count) => {
    for (let i = 0; i < count; i++) out[i] = x[i]! / y[i]!;
  },
  '%': (x, y, out, count) => {
    for (let i = 0; i < count; i++) out[i] = x[i]! % y[i]!;
  },
  '^': (x, y, out, count) => {
    for (let i = 0; i < count; i++) out[i] = x[i]! ** y[i]!;
  },
  '==': (x, y, out, count) => {
    for (let i = 0; i < count; i++) out[i] = x[i] === y[i] ? 1 : 0;
  },
  '!=': (x, y, out, count) => {
    for (let i = 0; i < count; i++) out[i] = x[i] !== y[i] ? 1 : 0;
  },
  '<': (x, y, out, count) => {
    for (let i = 0; i < count; i++) out[i] = x[i]! < y[i]! ? 1 : 0;
  },
  '<=': (x, y, out, count) => {
    for (let i = 0; i < count; i++) out[i] = x[i]! <= y[i]! ? 1 : 0;
  },
  '>': (x, y, out, count) => {
    for (let i = 0; i < count; i++) out[i] = x[i]! > y[i]! ? 1 : 0;
  },
  '>=': (x, y, out, count) => {
    for (let i = 0; i < count; i++) out[i] = x[i]! >= y[i]! ? 1 : 0;
  },
  '&&': (x, y, out, count) => {
    for (let i = 0; i < count; i++) out[i] = x[i] !== 0 && y[i] !== 0 ? 1 : 0;
  },
  '||': (x, y, out, count) => {
    for (let i = 0; i < count; i++) out[i] = x[i] !== 0 || y[i] !== 0 ? 1 : 0;
  },
};

type OneOperand = Exclude<RowFunction, 'atan2' | 'min' | 'max' | 'clamp' | 'hypot'>;

export const functionKernels: Readonly<Record<OneOperand, UnaryKernel>> = {
  abs: (x, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.abs(x[i]!);
  },
  sqrt: (x, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.sqrt(x[i]!);
  },
  exp: (x, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.exp(x[i]!);
  },
  ln: (x, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.log(x[i]!);
  },
  log10: (x, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.log10(x[i]!);
  },
  sin: (x, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.sin(x[i]!);
  },
  cos: (x, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.cos(x[i]!);
  },
  tan: (x, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.tan(x[i]!);
  },
  asin: (x, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.asin(x[i]!);
  },
  acos: (x, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.acos(x[i]!);
  },
  atan: (x, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.atan(x[i]!);
  },
  floor: (x, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.floor(x[i]!);
  },
  ceil: (x, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.ceil(x[i]!);
  },
  round: (x, out, count) => {
    for (let i = 0; i < count; i++) out[i] = roundHalfAway(x[i]!);
  },
  sign: (x, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.sign(x[i]!);
  },
};

/** Of functions of several operands the first two; the others join one by one. */
export const joiningKernels: Readonly<Record<'atan2' | 'min' | 'max' | 'hypot', BinaryKernel>> = {
  atan2: (x, y, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.atan2(x[i]!, y[i]!);
  },
  min: (x, y, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.min(x[i]!, y[i]!);
  },
  max: (x, y, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.max(x[i]!, y[i]!);
  },
  hypot: (x, y, out, count) => {
    for (let i = 0; i < count; i++) out[i] = Math.hypot(x[i]!, y[i]!);
  },
};

function roundHalfAway(x: number): number {
  const whole = Math.trunc(x);
  // A half added first would round 0.49999999999999994 up.
  return Math.abs(x - whole) >= 0.5 ? whole + Math.sign(x) : whole;
}
