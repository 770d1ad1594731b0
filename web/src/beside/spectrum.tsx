import { ChannelChoice } from '../channels/channel-choice.tsx';
import { shortText } from '../lines/reading.ts';
import { Legend } from '../map/legend.tsx';
import { show } from '../state/view.ts';
import { Empty, Problem } from '../ui/notice.tsx';
import { partsText } from './parts.ts';
import { SpectrumChart } from './spectrum-chart.tsx';
import { loading, shownChannel, spectra, way } from './spectrum-drawn.ts';
import type { Spectrum } from './spectrum-load.ts';
import { windowNames, windowTexts } from './windows.ts';

/** How strong each frequency of a channel is, of each run or lap. */
export function SpectrumPanel() {
  const { busy, error, retry } = loading.value;
  const value = spectra.value;
  const isSeveral = value !== undefined && value.lines.length + value.without.length > 1;
  return (
    <section class="spectrum" aria-label="Spectrum" aria-busy={busy}>
      <div class="choices">
        <ChannelChoice
          label="Frequencies of"
          chosen={shownChannel.value}
          onChoose={(spectrum) => show({ spectrum }, 'replace')}
        />
        <Way />
        <span class="soft">{partsText()}</span>
      </div>
      {error !== undefined && <Problem error={error} onRetry={retry} isAll={value === undefined} />}
      {value?.lines.length === 0 && !busy && (
        <Empty title="Too few rows">
          <p>A spectrum needs 8 rows with numbers, and no gap between them.</p>
        </Empty>
      )}
      {value !== undefined && value.lines.length > 1 && <Legend lines={value.lines} />}
      {value !== undefined && value.lines.length > 0 && (
        <>
          <p class="spectrum-of soft">
            {[
              ...value.lines.map(({ label, spectrum }) => lineText(isSeveral ? label : '', spectrum)),
              ...value.without.map((label) => `${label}: too few rows without a gap.`),
            ].map((text) => (
              <span key={text}>{text}</span>
            ))}
          </p>
          <SpectrumChart parameter={value.parameter} lines={value.lines} />
        </>
      )}
    </section>
  );
}

const pieceCounts = [1, 4, 8, 16, 32] as const;

/** Under which window, and as the mean of how many pieces, it is made. */
function Way() {
  const { window, pieces } = way.value;
  return (
    <>
      <label>
        Window
        <select
          value={window}
          onChange={(event) => show({ spectrumWindow: event.currentTarget.value }, 'replace')}
        >
          {windowNames.map((name) => (
            <option key={name} value={name} title={windowTexts[name][1]}>
              {windowTexts[name][0]}
            </option>
          ))}
        </select>
      </label>
      <label title="Several pieces, each half over the next one: noise becomes smooth, and frequencies are told apart less well">
        Mean of
        <select
          value={pieces}
          onChange={(event) => show({ spectrumPieces: Number(event.currentTarget.value) }, 'replace')}
        >
          {pieceCounts.map((count) => (
            <option key={count} value={count}>
              {count === 1 ? 'all rows at once' : `${count} pieces`}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

/** What a spectrum is made of. */
function lineText(label: string, { rows, rate, isEven, seconds, of, isCut }: Spectrum): string {
  const count = rows.toLocaleString('en');
  const hertz = `${shortText(Number(rate.toPrecision(5)))} Hz`;
  const spaced = isEven
    ? `${count} rows at ${hertz}`
    : `${count} uneven rows, with straight lines between them read at ${hertz}`;
  const stretch = `, the longest stretch without a gap: ${shortText(seconds)} of ${shortText(of)} s`;
  return [
    label && `${label}: `,
    isCut && 'Of the first rows only. ',
    spaced,
    of - seconds > 1e-9 && stretch,
    '.',
  ]
    .filter(Boolean)
    .join('');
}
