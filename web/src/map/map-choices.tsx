import { ChannelChoice } from '../channels/channel-choice.tsx';
import { isFinding, mapChannels } from '../channels/known-channels.ts';
import { openParameters } from '../channels/parameters.ts';
import { show } from '../state/view.ts';

/** What the map is drawn of and coloured by; x and y are folded away where they are known. */
export function MapChoices() {
  const { x, y, colour } = mapChannels.value;
  const isKnown = openParameters.value.value !== undefined && !isFinding.value;
  const choice = (
    label: string,
    value: string,
    none: string,
    change: (id: string) => [string, string, string],
  ) => (
    <ChannelChoice
      label={label}
      chosen={value}
      none={none}
      onChoose={(id) => show({ map: change(id) }, 'replace')}
    />
  );
  return (
    <div class="map-choices">
      {choice('Colour by', colour, 'line', (id) => [x, y, id])}
      <details open={isKnown && (x === '' || y === '')}>
        <summary>Position</summary>
        {choice('X or longitude', x, 'choose…', (id) => [id, y, colour])}
        {choice('Y or latitude', y, 'choose…', (id) => [x, id, colour])}
      </details>
    </div>
  );
}
