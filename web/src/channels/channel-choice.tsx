import { hasNumbers } from './parameter-entry.ts';
import { openParameters } from './parameters.ts';

/** A choice of the channels that have numbers. */
export function ChannelChoice({
  label,
  chosen,
  none,
  onChoose,
}: {
  label: string;
  chosen: string;
  /** What choosing none is called, where one may. */
  none?: string;
  onChoose: (id: string) => void;
}) {
  const numeric = (openParameters.value.value ?? []).filter(hasNumbers);
  return (
    <label>
      {label}
      <select value={chosen} onChange={(event) => onChoose(event.currentTarget.value)}>
        {none !== undefined && <option value="">{none}</option>}
        {numeric.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
