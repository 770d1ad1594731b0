import { hasNumbers } from '../channels/parameter-entry.ts';
import { openParameters } from '../channels/parameters.ts';
import { picks, show } from '../state/view.ts';
import { overlay } from './overlay-state.ts';
import { TagChoices } from './tag-choices.tsx';

/** What is compared, and by what it is aligned. */
export function Choices() {
  const { alignBy } = overlay.value;
  const numeric = (openParameters.value.value ?? []).filter(hasNumbers);
  return (
    <div class="choices">
      <label>
        Aligned by
        <select
          value={alignBy}
          onChange={(event) => show({ alignBy: event.currentTarget.value, across: undefined })}
        >
          <option value="">time</option>
          {numeric.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <TagChoices isPicked={picks.value.length > 0} />
    </div>
  );
}
