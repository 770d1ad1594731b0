import { shownText } from '../lines/conversions.ts';
import { Swatch } from '../lines/swatch.tsx';
import { durationText, spanText } from '../lines/time-text.ts';
import { namedText } from '../lines/value-names.ts';
import { unitOf } from '../plots/axes.ts';
import { TimeText } from '../plots/cursor-time.tsx';
import { isLive } from '../state/view.ts';
import { mapRow } from './map-rows.ts';
import { type DrawnMap, type DrawnPath, type MarkedRow, marked } from './map-state.ts';

/** The rows that the dots stand on, with every digit. It is spoken as the cursor moves, but not as live data comes. */
export function MapReading({ map }: { map: DrawnMap }) {
  const isAlone = map.lines.length < 2;
  return (
    <output
      class="map-reading"
      aria-label="On the map at the cursor"
      aria-live={isLive.value ? 'off' : 'polite'}
    >
      {marked.value.map((own, i) =>
        own === undefined ? null : (
          <span key={`${own.line.label} ${i}`} class="map-row">
            {!isAlone && (
              <span class="map-name">
                <Swatch look={own.line} />
                {own.line.label}{' '}
              </span>
            )}
            <RowText {...own} />
          </span>
        ),
      )}
    </output>
  );
}

function RowText(own: MarkedRow) {
  const { line, row } = own;
  const { rows } = line;
  const [x, y, colour] = rows.names;
  const exact = new Map(rows.names.map((name) => [name, name === '' ? undefined : mapRow(own, name)]));
  const value = (name: string, drawn: number | undefined) => {
    const number = exact.get(name)?.low ?? drawn;
    // It does not break between number and unit.
    return `${name} ${number === undefined || Number.isNaN(number) ? '–' : (namedText(name, number) ?? `${shownText(name, number)} ${unitOf(name)}`)}`
      .trim()
      .replaceAll(' ', '\u00a0');
  };
  const time = exact.get(x)?.time ?? rows.times[row]!;
  return (
    <>
      {colour !== '' && <strong>{value(colour, rows.shade?.[row])}</strong>}
      {colour !== '' && ', '}
      {value(x, rows.x[row])}, {value(y, rows.y[row])}{' '}
      <span class="soft">
        {rows.bucket === undefined || exact.get(x) !== undefined ? (
          <span class="whole-text">
            <TimeText time={time} />
          </span>
        ) : (
          `first row of ${spanText({ from: time, to: time + rows.bucket - 1n })}`
        )}
      </span>
    </>
  );
}

/** Which rows are drawn, where it is not all of them: never means. */
export function DrawnText({ lines }: { lines: readonly DrawnPath[] }) {
  return (
    <>
      {lines.map(({ label, rows }, i) => {
        const { of, bucket, thinned } = rows;
        if (of === undefined) return null;
        const drawn = rows.x.length.toLocaleString('en');
        const each = bucket ?? thinned;
        return (
          <p key={`${label} ${i}`} class="soft">
            {lines.length > 1 && `${label}: `}
            {each === undefined
              ? `the first ${drawn} of ${of.toLocaleString('en')} rows`
              : `${drawn} of ${of.toLocaleString('en')} rows: the first in every ${durationText(each)}`}
          </p>
        );
      })}
    </>
  );
}
