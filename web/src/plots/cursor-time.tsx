import { timeText } from '../lines/time-text.ts';

/** A time to the millisecond, or to what a pixel is; all nine digits for who points at it, or listens. */
export function TimeText({ time, pixel = 1_000_000 }: { time: bigint /** ns */; pixel?: number }) {
  const text = timeText(time);
  const hidden = Math.min(6, Math.max(0, Math.floor(Math.log10(pixel))));
  const end = text.length - hidden;
  return (
    <span title={text}>
      <span class="date">{text.slice(0, -18)}</span>
      {text.slice(-18, end)}
      <span class="unseen">{text.slice(end)}</span>
    </span>
  );
}
