import { limitsOf, limitsText, outside } from '../channels/limits.ts';
import { drawn } from './drawn.ts';
import { goOutside } from './outside.ts';

/** How many rows of a channel are outside of its limits; a click goes to the next place where it leaves them. */
export function OutsideMark({ parameter, isOfSeveral }: { parameter: string; isOfSeveral: boolean }) {
  const limits = limitsOf(parameter);
  const own = outside.value.get(parameter);
  if (limits === undefined || own === undefined) return null;
  const rows = own.rows === undefined ? '' : `${own.rows.toLocaleString('en')} `;
  return (
    <button
      type="button"
      class="quiet outside"
      aria-label={`${rows}${own.rows === 1 ? 'row' : 'rows'} of ${parameter} outside of ${limitsText(limits)}: go to the next`}
      title={`Outside of ${limitsText(limits)}: ${own.low} … ${own.high}`}
      onClick={() => goOutside(drawn.peek(), 1, parameter)}
    >
      ⚠ {isOfSeveral && `${parameter}: `}
      {rows}outside ▸
    </button>
  );
}
