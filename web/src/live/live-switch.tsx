import { followed } from '../lines/followed.ts';
import { isLive, mode, show, streams } from '../state/view.ts';
import { Behind } from './behind.tsx';
import { followedSpan, followProblem } from './follow.ts';

const spans: readonly (readonly [bigint, string])[] = [
  [10n, '10 s'],
  [60n, '1 min'],
  [300n, '5 min'],
  [1800n, '30 min'],
];
const second = 1_000_000_000n;

/** Follows live data, or pauses: then what was seen last stays, and can be zoomed. */
export function LiveSwitch() {
  const live = isLive.value;
  if (streams.value.length === 0) return null;
  const toggle = () => {
    // Laps are compared whole.
    const last = mode.value === 'overlay' ? undefined : followed.value?.range;
    show(live ? { live: false, ...(last && { range: last }) } : { live: true, range: undefined });
  };
  return (
    <fieldset class="live" aria-label="Live data">
      <button type="button" class={live ? 'primary' : ''} aria-pressed={live} onClick={toggle}>
        {live ? 'Pause' : 'Follow live'}
      </button>
      {live && (
        <select
          aria-label="How much is seen"
          value={String(followedSpan.value / second)}
          onChange={(event) => {
            followedSpan.value = BigInt(event.currentTarget.value) * second;
          }}
        >
          {spans.map(([seconds, text]) => (
            <option key={text} value={String(seconds)}>
              {text}
            </option>
          ))}
        </select>
      )}
      {(live || followProblem.value !== '') && (
        <span class="live-text">
          {followProblem.value !== '' && (
            <span class="problem" role="alert">
              {followProblem.value}
            </span>
          )}
          {live && <Behind />}
        </span>
      )}
    </fieldset>
  );
}
