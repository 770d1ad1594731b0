import { shortText } from '../lines/reading.ts';
import { unitOf } from '../plots/axes.ts';
import { show, view } from '../state/view.ts';
import type { XyLine } from './xy-chart.tsx';
import { areaOf, fitOf, hullOf } from './xy-fit.ts';

/** How rows are drawn, and what is drawn around them. */
export function XyWays() {
  const { xyAs, xyWith } = view.value;
  return (
    <>
      <label>
        As
        <select
          value={xyAs}
          onChange={(event) => show({ xyAs: event.currentTarget.value as typeof xyAs }, 'replace')}
        >
          <option value="">lines</option>
          <option value="points">points</option>
          <option value="density">density</option>
        </select>
      </label>
      {extraNames.map((extra) => (
        <label key={extra} class="choice" title={titles[extra]}>
          <input
            type="checkbox"
            checked={xyWith.includes(extra)}
            onChange={() =>
              show({
                xyWith: extraNames.filter((other) => xyWith.includes(other) !== (other === extra)),
              })
            }
          />
          {extra}
        </label>
      ))}
    </>
  );
}

const extraNames = ['fit', 'hull'] as const;
const titles = {
  fit: 'The straight line that fits the rows best (least squares)',
  hull: 'The smallest outline without dents around all rows, as for a g-g diagram',
} as const;

/** What the fit and the hull say, line by line. */
export function XyExtras({ lines }: { lines: readonly XyLine[] }) {
  const { xyWith } = view.value;
  if (xyWith.length === 0) return null;
  return (
    <p class="xy-extras soft">
      {lines.map((line) => (
        <span key={line.label} class="row-text">
          {lines.length > 1 && `${line.label}: `}
          {[
            ...(xyWith.includes('fit') ? [fitText(line)] : []),
            ...(xyWith.includes('hull') ? [hullText(line)] : []),
          ].join('; ')}
        </span>
      ))}
    </p>
  );
}

function fitText({ rows }: XyLine): string {
  const [x, y] = rows.names;
  const fit = fitOf(rows);
  if (fit === undefined) return `no line: ${x} is the same in all rows`;
  const { slope, offset, told } = fit;
  const sign = offset < 0 ? '−' : '+';
  const count = rows.x.length.toLocaleString('en');
  return `${y} = ${shortText(slope)} · ${x} ${sign} ${shortText(Math.abs(offset))}; R² ${told.toFixed(3)}; ${count} rows`;
}

function hullText({ rows }: XyLine): string {
  const [x, y] = rows.names;
  const [unitX, unitY] = [unitOf(x), unitOf(y)];
  const unit = unitX === unitY && unitX !== '' ? `${unitX}²` : [unitX, unitY].filter(Boolean).join(' · ');
  return `area of the hull: ${shortText(areaOf(hullOf(rows)))} ${unit}`.trim();
}
