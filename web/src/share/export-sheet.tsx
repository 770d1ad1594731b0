import { useSignal } from '@preact/signals';
import { across } from '../laps/across.ts';
import { isFromStart } from '../laps/overlay-drawn.ts';
import { lapName } from '../laps/overlay-plot.tsx';
import { comparedLaps } from '../laps/overlay-state.ts';
import { spanText } from '../lines/time-text.ts';
import { zone } from '../lines/zone.ts';
import { seenRange } from '../plots/range.ts';
import { openNames } from '../runs/run-name.tsx';
import { client, serviceUrl } from '../session.ts';
import { mode, streams } from '../state/view.ts';
import { problemText } from '../ui/problem-text.ts';
import { saveFile } from '../ui/save-file.ts';
import { CopyButton } from './copy-button.tsx';
import { areOfTopics, fileNameOf } from './file-name.ts';
import { isExporting } from './opened.ts';
import { pictureOf } from './picture.ts';
import { queryTexts } from './query-text.ts';
import { exportParts, hasUnits } from './shown-query.ts';

const forms = [
  ['CSV', 'text/csv', 'csv'],
  ['Parquet', 'application/vnd.apache.parquet', 'parquet'],
] as const;
const languages = [
  ['curl', 'curl'],
  ['javascript', 'JavaScript'],
  ['typescript', 'TypeScript'],
  ['python', 'Python'],
] as const;

/** Downloads of the rows behind what is seen, and the query as code to copy. */
export function ExportSheet() {
  const problem = useSignal('');
  const progress = useSignal<number | undefined>(undefined);
  const language = useSignal<(typeof languages)[number][0]>('curl');
  // While live data is followed the query is another one with each row: it is written when someone looks at it.
  const texts = isExporting.value ? exportParts.value.map(({ query }) => queryTexts(serviceUrl, query)) : [];
  const text = texts.map((own) => own[language.value]).join('\n\n');

  async function download(accept: string, extension: string): Promise<void> {
    const parts = exportParts.value;
    problem.value = '';
    progress.value = 0;
    try {
      for (const part of parts) {
        const response = await client.value!.download(part.query, accept);
        const blob = await received(response, (bytes) => {
          progress.value = bytes;
        });
        saveFile(blob, `${fileNameOf(part, parts)}.${extension}`);
      }
    } catch (error) {
      problem.value = problemText(error);
    } finally {
      progress.value = undefined;
    }
  }

  async function downloadPicture(): Promise<void> {
    problem.value = '';
    try {
      const elements = [...document.querySelectorAll('.plots > :is(.stack, .axis)')];
      if (elements.length === 0) throw new Error('There are no plots to draw.');
      const picture = await pictureOf(elements, openNames.peek().join(', '), seenText());
      saveFile(picture, `${streams.peek()[0]?.streamId ?? 'plots'}.png`);
    } catch (error) {
      problem.value = problemText(error);
    }
  }

  return (
    <>
      <div class="choices">
        {forms.map(([name, accept, extension]) => (
          <button
            key={name}
            type="button"
            disabled={progress.value !== undefined}
            onClick={() => download(accept, extension)}
          >
            Download {name}
          </button>
        ))}
        {mode.value !== 'table' && (
          <button type="button" onClick={downloadPicture}>
            Picture (PNG)
          </button>
        )}
        {progress.value !== undefined && (
          <span role="status">{(progress.value / 1e6).toFixed(1)} MB have come</span>
        )}
        <span class="problem" role="alert">
          {problem.value}
        </span>
      </div>
      <label class="choice">
        <input
          type="checkbox"
          checked={hasUnits.value}
          onChange={({ currentTarget }) => {
            hasUnits.value = currentTarget.checked;
          }}
        />
        Units in the names of all columns, as in "Speed (km/h)"; a channel that you show in another unit has
        it in any case
      </label>
      {exportParts.value.length > 1 && (
        <p class="soft">{whyMany()}: there is one file, and one query, for each.</p>
      )}
      {mode.value === 'overlay' && across.value !== undefined && (
        <p class="soft">These are all rows of the range, also those outside of what you have zoomed to.</p>
      )}
      <div class="choices">
        <label>
          The query as
          <select
            value={language.value}
            onChange={(event) => {
              language.value = event.currentTarget.value as typeof language.value;
            }}
          >
            {languages.map(([key, name]) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <CopyButton key={text} label="Copy" text={() => text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </>
  );
}

/** Why there are several files. */
function whyMany(): string {
  const parts = exportParts.value;
  if (isFromStart.value) return 'Each lap counts from its own start';
  if (parts.some(({ lap }) => lap !== undefined)) return 'Each lap is a stretch of time';
  if (areOfTopics(parts)) return 'The runs are of several topics';
  if (mode.value === 'overlay') return 'Each run has other laps';
  return 'Runs were written in different units';
}

/** What of the runs is seen. */
function seenText(): string {
  if (mode.peek() === 'overlay') return comparedLaps.peek().map(lapName).join(', ');
  const range = seenRange.peek();
  return range === undefined ? '' : `${spanText(range)} ${zone.peek() === 'utc' ? 'UTC' : 'local time'}`;
}

/** The whole answer, its length told as it comes. A connection that is cut is an error, not a short file. */
async function received(response: Response, onBytes: (bytes: number) => void): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = response.body!.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts);
    parts.push(value);
    bytes += value.length;
    onBytes(bytes);
  }
}
