import { useSignal } from '@preact/signals';
import { ChannelChoice } from '../channels/channel-choice.tsx';
import { Legend } from '../map/legend.tsx';
import { show } from '../state/view.ts';
import { Empty, Problem } from '../ui/notice.tsx';
import { HistogramChart } from './histogram-chart.tsx';
import { counted, drawn, loading } from './histogram-drawn.ts';
import { partsText } from './parts.ts';

/** How often a channel has which values, of each run or lap. */
export function HistogramPanel() {
  const { busy, error, retry, isKnown } = loading.value;
  const value = drawn.value;
  const chosen = useSignal<number | undefined>(undefined);
  return (
    <section class="histogram" aria-label="Histogram" aria-busy={busy}>
      <div class="choices">
        <ChannelChoice
          label="Values of"
          chosen={counted.value}
          onChoose={(histogram) => show({ histogram }, 'replace')}
        />
        <span class="soft">{partsText()}</span>
      </div>
      {error !== undefined && <Problem error={error} onRetry={retry} isAll={!isKnown} />}
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
