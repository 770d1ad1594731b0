import uPlot from 'uplot';
import type { Trace } from './traces.ts';

/** Traces on one axis: their times joined, undefined where a trace has no point, so that lines go on there. */
export function joinTraces(traces: readonly Trace[]): uPlot.AlignedData {
  if (traces.length === 0) return [[]];
  const tables = traces.map(({ x, y }): uPlot.AlignedData => [[...x], [...y]]);
  const [first, ...others] = traces;
  const shareTimes = others.every(({ x }) => x === first!.x || sameTimes(x, first!.x));
  if (shareTimes) return [[...first!.x], ...traces.map(({ y }) => [...y])] as uPlot.AlignedData;
  return uPlot.join(tables.map(withoutDoubles));
}

function sameTimes(a: Float64Array, b: Float64Array): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

/** Joining needs distinct times: the second point of a bucket is moved by less than a pixel. */
function withoutDoubles(table: uPlot.AlignedData): uPlot.AlignedData {
  const [x, ...rest] = table;
  const step = ((x.at(-1) ?? 0) - (x[0] ?? 0)) / Math.max(1, x.length) / 4;
  const moved = Array.from(x, (value, i) => (i > 0 && x[i - 1] === value ? value + step : value));
  return [moved, ...rest] as uPlot.AlignedData;
}
