import { apart, joined, moved, type Plots } from '../channels/arrange.ts';
import { plots, show } from '../state/view.ts';

/** A small menu that puts a parameter with others, apart from them, or its plot elsewhere. */
export function MovePlot({ parameter }: { parameter: string }) {
  const now = plots.value;
  const place = now.findIndex((parameters) => parameters.includes(parameter));
  const own = now[place] ?? [];
  const moves: (readonly [string, () => Plots])[] = [];
  if (place > 0) moves.push(['up', () => moved(now, parameter, -1)]);
  if (place < now.length - 1) moves.push(['down', () => moved(now, parameter, 1)]);
  if (own.length > 1) moves.push(['to a plot of its own', () => apart(now, parameter)]);
  for (const [i, parameters] of now.entries()) {
    if (i !== place)
      moves.push([`to ${parameters.join(', ')}`, () => joined(now, parameter, parameters[0]!)]);
  }
  if (moves.length === 0) return null;
  return (
    <select
      class="move"
      aria-label={`Move ${parameter}`}
      title={`Move ${parameter}`}
      value=""
      onChange={(event) => {
        const move = moves[Number(event.currentTarget.value)];
        if (move !== undefined) show({ plots: move[1]() });
      }}
    >
      <option value="" disabled hidden>
        ⇅
      </option>
      {moves.map(([text], i) => (
        <option key={text} value={String(i)}>
          {text}
        </option>
      ))}
    </select>
  );
}
