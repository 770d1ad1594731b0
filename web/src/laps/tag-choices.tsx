import { TagField } from '../plots/tag-field.tsx';
import { show } from '../state/view.ts';
import { overlay, tagValues } from './overlay-state.ts';

/** More lines than this cannot be told apart. */
const mostLines = 8;

/** Which tag is compared, and which of its values, unless laps were ticked. Without a tag, whole streams are. */
export function TagChoices({ isPicked = false }: { isPicked?: boolean }) {
  const { tag, values } = overlay.value;
  const { value: known, busy } = tagValues.value;
  const choose = (overlayValues: readonly string[]) => show({ overlayValues, picks: [] });
  const toggle = (value: string) =>
    choose(values.includes(value) ? values.filter((other) => other !== value) : [...values, value]);
  return (
    <>
      <TagField
        label="Tag"
        value={tag}
        onName={(overlayTag) => show({ overlayTag, overlayValues: [], picks: [] })}
      />
      {tag !== '' && !isPicked && known?.length !== 0 && (
        <fieldset aria-busy={busy}>
          <legend>Values of {tag}</legend>
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
      )}
    </>
  );
}
