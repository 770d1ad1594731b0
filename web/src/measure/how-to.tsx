import { isTouch } from '../ui/touch.ts';

/** How A and B are set. */
export function HowToMeasure() {
  if (isTouch) return <p class="soft">A long press on a plot sets A, the next one B.</p>;
  return (
    <p class="soft">
      Click sets A, Shift and click B; so do <kbd>[</kbd> and <kbd>]</kbd> at the cursor.
    </p>
  );
}
