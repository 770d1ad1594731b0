import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { Bounds } from '../lines/bounds.ts';
import { placeBelow } from '../ui/place-below.ts';
import { unitOf } from './axes.ts';
import { AxisFields } from './axis-fields.tsx';
import { axesOf } from './axis-scales.ts';
import { LookFields } from './look-fields.tsx';
import { NamesField } from './names-field.tsx';

/** The menu of a channel in a plot: how it is drawn, its unit, and the scale that it stands on. */
export function ChannelMenu({
  parameter,
  mayBeStates,
  seen,
}: {
  parameter: string;
  /** Whether it is states, or may be. */
  mayBeStates: boolean;
  /** What the axis of a unit shows now. */
  seen: (unit: string) => Bounds;
}) {
  const id = useId();
  // What the axis shows is looked at when somebody wants to know.
  const isOpen = useSignal(false);
  const axis = axesOf(parameter).find(({ unit }) => unit === unitOf(parameter));
  const title = `Look of ${parameter}`;
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
        ⚙
      </button>
      <div
        id={id}
        popover="auto"
        class="axis-menu channel-menu"
        role="dialog"
        aria-label={title}
        onToggle={({ newState }) => {
          isOpen.value = newState === 'open';
        }}
      >
        {isOpen.value && <LookFields parameter={parameter} mayBeStates={mayBeStates} />}
        {isOpen.value && <NamesField parameter={parameter} />}
        {isOpen.value && axis !== undefined && <AxisFields axis={axis} seen={seen} />}
      </div>
    </>
  );
}
