import { openParameters } from '../channels/parameters.ts';
import { client } from '../session.ts';
import { ofEachTopic } from '../state/by-topic.ts';
import { beacons, beside, show, streams } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';

/** Kinds of events of the open runs. */
const kinds = loaded<{ readonly id: string; readonly name: string }[]>(() => {
  const service = client.value;
  const open = streams.value;
  if (service === undefined || open.length === 0 || !beside.value.includes('sectors')) return undefined;
  return async (signal) => {
    const found = await ofEachTopic(open, (place) => service.events(place, { signal }));
    const names = new Map(found.map(({ id, name }) => [id, name || id]));
    return [...names].map(([id, name]) => ({ id, name }));
  };
});

/** What ends sectors: marks along the way, events, or a channel. */
export function BeaconChoice() {
  const chosen = beacons.value;
  const channels = (openParameters.value.value ?? []).filter(({ type }) => type === 'Numeric');
  const events = kinds.value.value ?? [];
  const known = [...events.map(({ id }) => `event:${id}`), ...channels.map(({ id }) => `channel:${id}`)];
  return (
    <label>
      Beacons
      <select
        value={chosen}
        onChange={(event) => show({ beacons: event.currentTarget.value })}
        title="Events, or a channel that rises at each beacon, end sectors in the place of marks"
      >
        <option value="">none: marks</option>
        {chosen !== '' && !known.includes(chosen) && <option value={chosen}>{chosen}</option>}
        {events.length > 0 && (
          <optgroup label="Events">
            {events.map(({ id, name }) => (
              <option key={id} value={`event:${id}`}>
                {name}
              </option>
            ))}
          </optgroup>
        )}
        <optgroup label="A channel that rises">
          {channels.map(({ id, name }) => (
            <option key={id} value={`channel:${id}`}>
              {name}
            </option>
          ))}
        </optgroup>
      </select>
    </label>
  );
}
