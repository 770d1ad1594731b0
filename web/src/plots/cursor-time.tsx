import { timeText } from '../lines/time-text.ts';

/** A time to the millisecond; all nine digits for who points at it, or listens. */
export function TimeText({ time }: { time: bigint }) {
  const text = timeText(time);
  return (
    <span title={text}>
      <span class="date">{text.slice(0, -18)}</span>
      {text.slice(-18, -6)}
      <span class="unseen">{text.slice(-6)}</span>
    </span>
  );
}
