import type { Bounds } from '../lines/bounds.ts';
import { PopupMenu } from '../ui/popup-menu.tsx';
import { unitOf } from './axes.ts';
import { AxisFields } from './axis-fields.tsx';
import { axesOf } from './axis-scales.ts';
import { LookFields } from './look-fields.tsx';
import { NamesField } from './names-field.tsx';

interface ChannelMenuProps {
  readonly parameter: string;
  /** Whether it is states, or may be. */
  readonly mayBeStates: boolean;
  /** What the axis of a unit shows now. */
  readonly seen: (unit: string) => Bounds;
}

/** The menu of a channel in a plot: how it is drawn, its unit, and the scale that it stands on. */
export function ChannelMenu({ parameter, mayBeStates, seen }: ChannelMenuProps) {
  return (
    <PopupMenu title={`Look of ${parameter}`} sign="⚙" button="quiet" kind="axis-menu channel-menu">
      {() => <ChannelFields parameter={parameter} mayBeStates={mayBeStates} seen={seen} />}
    </PopupMenu>
  );
}

/** What the axis shows is looked at when somebody wants to know. */
function ChannelFields({ parameter, mayBeStates, seen }: ChannelMenuProps) {
  const axis = axesOf(parameter).find(({ unit }) => unit === unitOf(parameter));
  return (
    <>
      <LookFields parameter={parameter} mayBeStates={mayBeStates} />
      <NamesField parameter={parameter} />
      {axis !== undefined && <AxisFields axis={axis} seen={seen} />}
    </>
  );
}
