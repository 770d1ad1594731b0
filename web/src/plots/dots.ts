import type uPlot from 'uplot';
import type { Mark } from '../lines/reading.ts';
import type { DrawnLine } from './draw-points.ts';
import { scaleOf } from './scale-of.ts';

/** Marks what is read at the cursor: a dot on a row, two on the smallest and the largest value of several. */
export function placeDots(
  chart: uPlot,
  lines: readonly DrawnLine[],
  readings: readonly (Mark | undefined)[],
): void {
  const { over } = chart;
  const { min, max } = chart.scales['x']!;
  // Those that are there are moved: plots are drawn often while one looks at a place.
  const there = [...over.querySelectorAll<HTMLElement>('.dot')];
  for (const [i, reading] of readings.entries()) {
    const line = lines[i];
    if (reading === undefined || line === undefined) continue;
    const { x, low, high } = reading;
    for (const value of low === high ? [low] : [low, high]) {
      // A row that is read may lie beyond what is seen of its line.
      if (!Number.isFinite(value) || x < min! || x > max!) continue;
      const dot = there.shift() ?? over.appendChild(newDot());
      dot.style.background = line.colour;
      dot.style.left = `${chart.valToPos(x, 'x')}px`;
      dot.style.top = `${chart.valToPos(value, scaleOf(line.unit))}px`;
    }
  }
  for (const dot of there) dot.remove();
}

function newDot(): HTMLElement {
  const dot = document.createElement('i');
  dot.className = 'dot';
  return dot;
}
