import { lapList, lapOf, lapTimeText } from '../laps/lap-list.ts';
import { notWhole } from '../laps/lap-rows.ts';
import { showLap } from '../laps/picks.ts';
import { shownText } from '../lines/conversions.ts';
import { namedText } from '../lines/value-names.ts';
import { RunSwatch } from '../runs/run-swatch.tsx';
import { show, streams, view } from '../state/view.ts';
import { WideTable } from '../ui/wide-table.tsx';
import { reported, reportedChannels } from './report-drawn.ts';
import { measures } from './report-load.ts';
import { columnOf, type NamedRow, nextOrder, orderOf } from './report-rows.ts';

/** Nobody looks through more rows than this; all of them are in the file. */
const mostShown = 1000;
/** Digits of a mean for the eye: the title has all. */
const meanDigits = 6;

/** Rows are laps or runs; a click on a column puts them in its order. */
export function ReportTable({ rows }: { rows: readonly NamedRow[] }) {
  const channels = reportedChannels.value;
  const isOfLaps = rows.some(({ lap }) => lap !== undefined);
  const hasRun = !isOfLaps || streams.value.length > 1;
  const names = [...(hasRun ? (['run'] as const) : []), ...(isOfLaps ? (['lap', 'time'] as const) : [])];
  return (
    <WideTable label="Values of laps and runs">
      <table class="lap-table report-table">
        <thead>
          <tr>
            {names.map((name) => (
              <SortHead key={name} column={name} text={name} rows={2} />
            ))}
            {channels.map(({ id, name, unit }) => (
              <th key={id} colSpan={measures.length} scope="colgroup">
                {name} <span class="soft">{unit}</span>
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Take ${name} out of the report`}
                  onClick={() => show({ report: reported.value.filter((own) => own !== id) })}
                >
                  ✕
                </button>
              </th>
            ))}
          </tr>
          <tr>
            {channels.flatMap(({ id, name }) =>
              measures.map((measure) => (
                <SortHead
                  key={columnOf(measure, id)}
                  column={columnOf(measure, id)}
                  text={measure}
                  label={`${measure} of ${name}`}
                />
              )),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, mostShown).map((row) => (
            <Row key={JSON.stringify([row.stream, row.lap])} {...{ row, isOfLaps, hasRun }} />
          ))}
        </tbody>
      </table>
      {rows.length > mostShown && (
        <p class="soft">
          The first {mostShown} of {rows.length}: the file has all.
        </p>
      )}
    </WideTable>
  );
}

function SortHead({
  column,
  text,
  label,
  rows = 1,
}: {
  column: string;
  text: string;
  label?: string;
  rows?: number;
}) {
  const { column: now, isDown } = orderOf(view.value.reportSort);
  const isChosen = now === column;
  return (
    <th
      scope="col"
      rowSpan={rows}
      class={column === 'run' ? 'of-text' : ''}
      aria-sort={isChosen ? (isDown ? 'descending' : 'ascending') : 'none'}
    >
      <button
        type="button"
        class="quiet"
        aria-label={label}
        title="Sort by this column"
        onClick={() => show({ reportSort: nextOrder(view.value.reportSort, column) })}
      >
        {text}
        {isChosen && (isDown ? ' ▾' : ' ▴')}
      </button>
    </th>
  );
}

function Row({ row, isOfLaps, hasRun }: { row: NamedRow; isOfLaps: boolean; hasRun: boolean }) {
  const lap = row.lap == null ? undefined : lapOf(lapList.value.value ?? [], row.stream, row.lap);
  return (
    <tr>
      {hasRun && (
        <th scope="row" title={row.run}>
          <RunSwatch run={row.stream} /> {row.run}
        </th>
      )}
      {isOfLaps && (
        <th scope="row">
          {lap === undefined ? (
            (row.lap ?? 'in no lap')
          ) : (
            <button type="button" class="quiet" title="Show this lap" onClick={() => showLap(lap)}>
              {lap.value}
            </button>
          )}
        </th>
      )}
      {isOfLaps && (
        <td title={lap?.whyNotWhole} class={lap === undefined || lap.isWhole ? '' : 'why'}>
          {row.seconds === undefined
            ? lap === undefined
              ? ''
              : notWhole
            : `${lap?.isExact ? '' : '≈ '}${lapTimeText(BigInt(Math.round(row.seconds * 1e9)))}`}
        </td>
      )}
      {reported.value.flatMap((id) =>
        measures.map((measure) => {
          const value = row.values.get(id)?.[measure];
          const name = value === undefined || measure === 'mean' ? undefined : namedText(id, value);
          const digits = measure === 'mean' ? meanDigits : 9;
          return (
            <td key={columnOf(measure, id)} title={value === undefined ? undefined : shownText(id, value)}>
              {value === undefined ? '–' : (name ?? shownText(id, Number(value.toPrecision(digits))))}
            </td>
          );
        }),
      )}
    </tr>
  );
}
