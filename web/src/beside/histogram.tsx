import { useSignal } from '@preact/signals';
import { hasNumbers } from '../channels/parameter-entry.ts';
import { openParameters } from '../channels/parameters.ts';
import { Legend } from '../map/legend.tsx';
import { chosenCursors, isLive, mode, show } from '../state/view.ts';
import { Empty, Problem } from '../ui/notice.tsx';
import { HistogramChart } from './histogram-chart.tsx';
import { counted, drawn, loading } from './histogram-drawn.ts';

/** How often a channel has which values, of each run or lap. */
export function HistogramPanel() {
  const { busy, error, retry, isKnown } = loading.value;
  const value = drawn.value;
  const chosen = useSignal<number | undefined>(undefined);
  const numeric = (openParameters.value.value ?? []).filter(hasNumbers);
  return (
    <section class="histogram" aria-label="Histogram" aria-busy={busy}>
      <div class="choices">
        <label>
          Values of
          <select
            value={counted.value}
            onChange={(event) => show({ histogram: event.currentTarget.value }, 'replace')}
          >
            {numeric.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <span class="soft">{whatText()}</span>
      </div>
      {error !== undefined && <Problem error={error} onRetry={retry} />}
      {isKnown && value === undefined && !busy && <Empty title="No row has a number here" />}
      {value !== undefined && value.lines.length > 1 && <Legend lines={value.lines} />}
      {value !== undefined && (
        <HistogramChart
          histogram={value}
          chosen={chosen.value}
          onChoose={(bin) => {
            chosen.value = bin;
          }}
        />
      )}
    </section>
  );
}

function whatText(): string {
  if (isLive.value) return 'Pause to see how often there is which value.';
  if (mode.value === 'overlay') return 'of all rows of each lap';
  const { a, b } = chosenCursors.value;
  return a !== undefined && b !== undefined ? 'from A to B' : 'of all that is seen';
}
