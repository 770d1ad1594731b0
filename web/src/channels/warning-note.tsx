import { openStreams } from '../runs/open-streams.ts';
import { takeWarning, warning } from '../session.ts';
import { hasNumbers } from './parameter-entry.ts';
import { openParameters } from './parameters.ts';
import { plotted } from './plotted.ts';
import { warningText } from './warning-text.ts';

/** What the service takes for a mistake, as a channel that no run has: until one has read it. */
export function WarningNote() {
  const text = warning.value === '' ? '' : warningText(warning.value, isAmiss);
  return (
    <div role="status" class={text === '' ? '' : 'warning-note'}>
      {text !== '' && (
        <>
          <span>{text}</span>
          <button type="button" aria-label="Hide this warning" onClick={takeWarning}>
            ×
          </button>
        </>
      )}
    </div>
  );
}

/** What is text is asked for as numbers for as long as nobody knows that it is text: nothing is said of it, then or later. */
function isAmiss(isNamed: (channel: string) => boolean): boolean {
  // Where no run is there, the page says so.
  if (openStreams.value.value?.length === 0) return false;
  const { value, busy } = openParameters.value;
  // Each run is asked by itself: another one may have it.
  if (value?.some((entry) => hasNumbers(entry) && isNamed(entry.id)) === true) return false;
  return !(value === undefined && busy) && !plotted.value?.texts.some(isNamed);
}
