import { useSignal } from '@preact/signals';
import { show, view } from '../state/view.ts';
import { Problem } from '../ui/notice.tsx';
import { without } from './arrange.ts';
import { openParameters, type ParameterEntry } from './catalogue.ts';

/** Parameters of the open streams by location; a click shows or hides one in a plot of its own or with others. */
export function ParameterTree() {
  const { value, error, retry } = openParameters.value;
  const filter = useSignal('');
  if (error !== undefined) return <Problem error={error} onRetry={retry} />;
  if (value === undefined) return null;
  const words = filter.value.toLowerCase();
  const matching = value.filter(({ id, name, description }) =>
    `${id} ${name} ${description}`.toLowerCase().includes(words),
  );
  const locations = Map.groupBy(matching, ({ location }) => location);
  return (
    <section class="parameters" aria-label="Parameters">
      <input
        type="search"
        placeholder="Filter parameters"
        aria-label="Filter parameters"
        value={filter.value}
        onInput={(event) => {
          filter.value = event.currentTarget.value;
        }}
      />
      {[...locations].map(([location, entries]) => (
        <fieldset key={location}>
          <legend>{location}</legend>
          {entries.map((entry) => (
            <ParameterItem key={`${entry.type} ${entry.id}`} entry={entry} />
          ))}
        </fieldset>
      ))}
      {value.length === 0 && <p class="soft">These streams have no parameters yet.</p>}
    </section>
  );
}

function ParameterItem({ entry }: { entry: ParameterEntry }) {
  const { id, type, unit, description, minimum, maximum } = entry;
  const { plots } = view.value;
  const isShown = plots.some((parameters) => parameters.includes(id));
  const canPlot = type === 'Numeric';
  const range = minimum === undefined && maximum === undefined ? '' : ` ${minimum ?? ''}…${maximum ?? ''}`;
  return (
    <label class="parameter" title={description}>
      <input
        type="checkbox"
        checked={isShown}
        disabled={!canPlot}
        onChange={() => show({ plots: isShown ? without(plots, id) : [...plots, [id]] })}
      />
      <span class="name">{entry.name}</span>
      <span class="soft">{canPlot ? `${unit}${range}` : type}</span>
    </label>
  );
}
