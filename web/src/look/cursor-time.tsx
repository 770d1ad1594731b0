import { cursorTime } from './cursor.ts';
import { timeText } from './time-text.ts';

/** The exact time under the pointer. */
export function CursorTime() {
  return (
    <output class="cursor-time" aria-label="Time at the cursor">
      {cursorTime.value === undefined ? '' : timeText(cursorTime.value)}
    </output>
  );
}
