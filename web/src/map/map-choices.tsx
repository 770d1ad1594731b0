import { mapChannels } from '../channels/known-channels.ts';
import { hasNumbers } from '../channels/parameter-entry.ts';
import { openParameters } from '../channels/parameters.ts';
import { show } from '../state/view.ts';

/** What the map is drawn of and coloured by; x and y are folded away where they are known. */
export function MapChoices() {
  const { x, y, colour } = mapChannels.value;
  const numeric = (openParameters.value.value ?? []).filter(hasNumbers);
  const choice = (
    label: string,
    value: string,
    none: string,
    change: (id: string) => [string, string, string],
  ) => (
    <label>
      {label}
      <select value={value} onChange={(event) => show({ map: change(event.currentTarget.value) }, 'replace')}>
        <option value="">{none}</option>
        {numeric.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <div class="map-choices">
      {choice('Colour by', colour, 'line', (id) => [x, y, id])}
      <details open={x === '' || y === ''}>
        <summary>Position</summary>
        {choice('X or longitude', x, 'choose…', (id) => [id, y, colour])}
        {choice('Y or latitude', y, 'choose…', (id) => [x, id, colour])}
      </details>
    </div>
  );
}
