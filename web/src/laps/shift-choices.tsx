import { shiftKey } from '../state/shifts.ts';
import { shifts, show } from '../state/view.ts';
import type { LapRef } from '../state/view-text.ts';
import { DraftField } from '../ui/draft-field.tsx';
import { typedNumber } from '../ui/typed.ts';
import { lapName } from './overlay-plot.tsx';
import { comparedLaps, overlay } from './overlay-state.ts';

/** Where laps, or runs, are compared by time: by how much each but the first one is moved. */
export function ShiftChoices() {
  const [, ...others] = comparedLaps.value;
  if (overlay.value.alignBy !== '') return null;
  return (
    <>
      {others.map((lap) => (
        <ShiftField key={shiftKey(lap)} lap={lap} />
      ))}
    </>
  );
}

function ShiftField({ lap }: { lap: LapRef }) {
  const key = shiftKey(lap);
  return (
    <DraftField
      class="shift"
      label={`Move ${lapName(lap)} by (s)`}
      value={String(shifts.value[key] ?? 0)}
      onCommit={(text) => {
        const seconds = text === '' ? 0 : typedNumber(text);
        if (seconds === undefined || Math.abs(seconds) > 1e9) return 'Seconds, such as 2.5 or -0.04';
        const { [key]: _, ...rest } = shifts.value;
        show({ shifts: seconds === 0 ? rest : { ...rest, [key]: seconds }, across: undefined });
        return undefined;
      }}
    />
  );
}
