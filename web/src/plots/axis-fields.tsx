import { limitsOf } from '../channels/limits.ts';
import type { Bounds } from '../lines/bounds.ts';
import { shortText } from '../lines/reading.ts';
import { DraftField } from '../ui/draft-field.tsx';
import { typedNumber } from '../ui/typed.ts';
import { setScale, turnLog, type ValueAxis } from './axis-scales.ts';

/** Least and largest value of an axis, in its unit. */
export function AxisFields({ axis, seen }: { axis: ValueAxis; seen: (unit: string) => Bounds }) {
  const { unit, key, bounds } = axis;
  const limits = limitsOf(key);
  const [least, largest] = bounds ?? [undefined, undefined];
  const commit = (side: 0 | 1) => (text: string) => {
    if (text === '') {
      setScale(axis, undefined);
      return undefined;
    }
    const value = typedNumber(text);
    if (value === undefined) return 'Type a number';
    const next = (bounds ?? seen(unit)).with(side, value) as [number, number];
    if (axis.isLog && next[0] <= 0) return 'A logarithmic axis begins above 0';
    if (next[0] >= next[1]) return 'The least value is not less than the largest';
    setScale(axis, next);
    return undefined;
  };
  const text = (value: number | undefined) => (value === undefined ? '' : String(value));
  const [low, high] = seen(unit);
  return (
    <fieldset>
      <legend>Scale{unit !== '' && ` in ${unit}`}</legend>
      <DraftField label="Least" value={text(least)} placeholder={shortText(low)} onCommit={commit(0)} />
      <DraftField label="Largest" value={text(largest)} placeholder={shortText(high)} onCommit={commit(1)} />
      <label class="choice" title="Values that are not above 0 have no place on it">
        <input type="checkbox" checked={axis.isLog} onChange={() => turnLog(axis)} />
        logarithmic
      </label>
      <div class="buttons">
        <button type="button" disabled={bounds === undefined} onClick={() => setScale(axis, undefined)}>
          Fit
        </button>
        {limits?.least !== undefined &&
          limits.largest !== undefined &&
          limits.least < limits.largest &&
          !(axis.isLog && limits.least <= 0) && (
            <button type="button" onClick={() => setScale(axis, [limits.least!, limits.largest!])}>
              Limits
            </button>
          )}
      </div>
    </fieldset>
  );
}
