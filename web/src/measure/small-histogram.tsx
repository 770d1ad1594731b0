import { numberText } from '../lines/reading.ts';
import { beside, show } from '../state/view.ts';
import type { Bins } from './bins.ts';

/** Units of the drawing, whatever its size. */
const height = 30;

/**
 * How often a channel has which values, at a glance; a click opens the panel that tells each bin.
 * @param whose what tells it from others of the channel, for who listens
 */
export function SmallHistogram({
  parameter,
  whose = '',
  bins,
}: {
  parameter: string;
  whose?: string;
  bins: Bins;
}) {
  const { edges, counts, none } = bins;
  const own = counts[0] ?? [];
  const most = Math.max(0, ...own);
  if (most === 0) return null;
  const fullest = own.indexOf(most);
  const picture = (
    <button
      type="button"
      class="quiet small-histogram"
      title="Open the histogram"
      onClick={() =>
        show({
          histogram: parameter,
          beside: beside.value.includes('histogram') ? beside.value : [...beside.value, 'histogram'],
        })
      }
    >
      <span class="unseen">
        Histogram of {whose === '' ? parameter : `${parameter}, ${whose}`}: most rows, {most}, at{' '}
        {numberText(edges[fullest]!)} … {numberText(edges[fullest + 1]!)}; all from{' '}
      </span>
      <svg viewBox={`0 0 ${own.length} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {own.map((count, bin) => {
          const top = height - (count / most) * height;
          return <rect key={bin} x={bin + 0.06} y={top} width={0.88} height={height - top} />;
        })}
      </svg>
      <span>{numberText(edges[0]!)}</span>
      <span class="unseen"> to </span>
      <span>{numberText(edges.at(-1)!)}</span>
    </button>
  );
  return (
    <>
      {none > 0 && (
        <p class="soft">
          {none.toLocaleString('en')} of these rows {none === 1 ? 'is' : 'are'} NaN, and left out of the other
          numbers.
        </p>
      )}
      {picture}
    </>
  );
}
