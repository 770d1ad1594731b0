import { hasNumbers } from '../channels/parameter-entry.ts';
import { openParameters } from '../channels/parameters.ts';
import { lapSource } from '../laps/lap-source.ts';
import { show, view } from '../state/view.ts';
import { Problem } from '../ui/notice.tsx';
import { saveFile } from '../ui/save-file.ts';
import { loading, reported, reportedChannels, reportRows } from './report-drawn.ts';
import { measures } from './report-load.ts';
import { csvOf } from './report-rows.ts';
import { ReportTable } from './report-table.tsx';

/** Least, largest and mean of channels, of each lap or run. */
export function ReportPanel() {
  const { busy, error, retry, isKnown } = loading.value;
  const rows = reportRows.value;
  return (
    <section class="report" aria-label="Report" aria-busy={busy}>
      <div class="choices">
        <AddChannel />
        {lapSource.value.kind !== 'none' && (
          <label>
            Rows
            <select
              value={view.value.reportRuns ? 'runs' : 'laps'}
              onChange={(event) => show({ reportRuns: event.currentTarget.value === 'runs' })}
            >
              <option value="laps">laps</option>
              <option value="runs">runs</option>
            </select>
          </label>
        )}
        <button type="button" disabled={rows === undefined || rows.length === 0} onClick={saveCsv}>
          Save as CSV
        </button>
      </div>
      {error !== undefined && <Problem error={error} onRetry={retry} isAll={!isKnown} />}
      {reported.value.length === 0 && <p class="soft">Add a channel to see its values lap by lap.</p>}
      {rows !== undefined && reported.value.length > 0 && <ReportTable rows={rows} />}
      {rows !== undefined && (
        <p class="soft">
          Of all rows of each {view.value.reportRuns || lapSource.value.kind === 'none' ? 'run' : 'lap'} that
          have a number: NaN is left out.
        </p>
      )}
    </section>
  );
}

function AddChannel() {
  const numeric = (openParameters.value.value ?? []).filter(
    (entry) => hasNumbers(entry) && !reported.value.includes(entry.id),
  );
  return (
    <label>
      Add
      <select
        value=""
        onChange={({ currentTarget: field }) => {
          if (field.value !== '') show({ report: [field.value, ...reported.value] });
          field.value = '';
        }}
      >
        <option value="">a channel…</option>
        {numeric.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function saveCsv(): void {
  const text = csvOf(reportRows.peek() ?? [], reportedChannels.peek(), measures);
  saveFile(new Blob([text], { type: 'text/csv' }), 'report.csv');
}
