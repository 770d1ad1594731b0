import { show } from '../state/view.ts';
import { lapValues, overlay } from './overlay-state.ts';

/** More lines than this cannot be told apart. */
const mostLines = 8;

/** Which laps of all runs are compared, where none were ticked. */
export function ValueChoices() {
  const { source, values } = overlay.value;
  const { value: known, busy } = lapValues.value;
  if (source.kind === 'none' || known?.length === 0) return null;
  const choose = (overlayValues: readonly string[]) => show({ overlayValues, picks: [] });
  const toggle = (value: string) =>
    choose(values.includes(value) ? values.filter((other) => other !== value) : [...values, value]);
  return (
    <fieldset aria-busy={busy}>
      <legend>Values of {source.name}</legend>
      {known !== undefined && known.length > 1 && (
        <>
          <button type="button" class="quiet" onClick={() => choose(known.slice(0, mostLines))}>
            {known.length > mostLines ? `first ${mostLines}` : 'all'}
          </button>
          <button type="button" class="quiet" onClick={() => choose([])}>
            none
          </button>
        </>
      )}
      {(known ?? []).map((value) => (
        <label key={value} class="choice">
          <input type="checkbox" checked={values.includes(value)} onChange={() => toggle(value)} />
          {value}
        </label>
      ))}
    </fieldset>
  );
}
