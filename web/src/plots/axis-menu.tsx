import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { limitsOf } from '../channels/limits.ts';
import type { Bounds } from '../lines/bounds.ts';
import { numberText } from '../lines/reading.ts';
import { show, states } from '../state/view.ts';
import { DraftField } from '../ui/draft-field.tsx';
import { placeBelow } from '../ui/place-below.ts';
import { axesOf, setScale, type ValueAxis } from './axis-scales.ts';
import { NamesField } from './names-field.tsx';

/** A small menu of a plot: least and largest value of its axes, and which parameters are states. */
export function AxisMenu({
  parameters,
  mayBeStates,
  seen,
}: {
  parameters: readonly string[];
  /** Parameters that are states, or may be. */
  mayBeStates: readonly string[];
  /** What the axis of a unit shows now. */
  seen: (unit: string) => Bounds;
}) {
  const id = useId();
  // What the axes show is looked at when somebody wants to know.
  const isOpen = useSignal(false);
  const axes = axesOf(parameters[0] ?? '');
  const title = `Axes of ${parameters.join(', ')}`;
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-label={title}
        title={title}
        popovertarget={id}
        onClick={({ currentTarget }) => {
          isOpen.value = true;
          placeBelow(currentTarget, document.getElementById(id)!);
        }}
      >
        ↕
      </button>
      <div
        id={id}
        popover="auto"
        class="axis-menu"
        role="dialog"
        aria-label={title}
        onToggle={({ newState }) => {
          isOpen.value = newState === 'open';
        }}
      >
        {isOpen.value && axes.map((axis) => <AxisFields key={axis.key} axis={axis} seen={seen} />)}
        {isOpen.value &&
          parameters.map((name) => (
            <NamesField key={name} parameter={name} isAlone={parameters.length === 1} />
          ))}
        {mayBeStates.map((name) => (
          <label key={name} class="choice">
            <input
              type="checkbox"
              checked={states.value.includes(name)}
              onChange={() => toggleStates(name)}
            />
            {name} as states
          </label>
        ))}
      </div>
    </>
  );
}

function AxisFields({ axis, seen }: { axis: ValueAxis; seen: (unit: string) => Bounds }) {
  const { unit, key, bounds } = axis;
  const limits = limitsOf(key);
  const [least, largest] = bounds ?? [undefined, undefined];
  const commit = (side: 0 | 1) => (text: string) => {
    if (text === '') {
      setScale(axis, undefined);
      return undefined;
    }
    const value = Number(text);
    if (!Number.isFinite(value)) return 'A number';
    const next = (bounds ?? seen(unit)).with(side, value) as [number, number];
    if (next[0] >= next[1]) return 'The least value is not less than the largest';
    setScale(axis, next);
    return undefined;
  };
  const text = (value: number | undefined) => (value === undefined ? '' : String(value));
  const [low, high] = seen(unit);
  return (
    <fieldset>
      <legend>{unit === '' ? key : unit}</legend>
      <DraftField label="Least" value={text(least)} placeholder={shortText(low)} onCommit={commit(0)} />
      <DraftField label="Largest" value={text(largest)} placeholder={shortText(high)} onCommit={commit(1)} />
      <div class="buttons">
        <button type="button" disabled={bounds === undefined} onClick={() => setScale(axis, undefined)}>
          Fit
        </button>
        {limits?.least !== undefined && limits.largest !== undefined && limits.least < limits.largest && (
          <button type="button" onClick={() => setScale(axis, [limits.least!, limits.largest!])}>
            Limits
          </button>
        )}
      </div>
    </fieldset>
  );
}

function shortText(value: number): string {
  return numberText(Number(value.toPrecision(4)));
}

function toggleStates(name: string): void {
  const now = states.value;
  show({ states: now.includes(name) ? now.filter((other) => other !== name) : [...now, name] }, 'replace');
}
