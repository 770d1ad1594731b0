import type { Bounds } from '../lines/bounds.ts';
import type { Line } from '../lines/points.ts';

/** What a plot draws of a channel of one run or lap. */
interface OfChannel {
  readonly parameter: string;
  readonly points: Line;
}

/** The channels of a plot that have rows within bounds, and no number that has a place on an axis: why there is no line. */
export function numberless(lines: readonly OfChannel[], bounds: Bounds): string[] {
  const names = [...new Set(lines.map(({ parameter }) => parameter))];
  return names.flatMap((name) => {
    const values = oddValues(
      lines.flatMap(({ parameter, points }) => (parameter === name ? [points] : [])),
      bounds,
    );
    if (values === undefined) return [];
    return names.length > 1 ? `${name}: all values here are ${values}` : `All values here are ${values}`;
  });
}

function oddValues(lines: readonly Line[], [from, to]: Bounds): string | undefined {
  let said: string | undefined;
  for (const { x, low, high } of lines)
    for (let i = 0; i < x.length; i++) {
      if (!(x[i]! >= from && x[i]! <= to)) continue;
      if (Number.isFinite(low[i]!) || Number.isFinite(high[i]!)) return undefined;
      const isNone = Number.isNaN(low[i]!) && Number.isNaN(high[i]!);
      said = isNone ? (said ?? 'NaN') : 'NaN or infinite';
    }
  return said;
}

/** Says it above the plot. */
export function Numberless({ said }: { said: readonly string[] }) {
  return said.map((text) => (
    <span key={text} class="no-numbers soft">
      {text}
    </span>
  ));
}
