import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { followed } from '../lines/followed.ts';
import { durationText } from '../lines/time-text.ts';
import { serviceNow } from '../state/service-clock.ts';
import { connected } from './follow.ts';
import { type News, news } from './news.ts';
import { leastMs, longestSilence } from './silence.ts';

/** The text is made anew so often. */
const tickMs = 250;

/** How old the newest row is by the clock of the service, and that nothing comes where nothing does. */
export function Behind() {
  const now = useSignal(Date.now());
  const isConnected = connected.value === true;
  // Nothing can come before.
  const connectedAt = useMemo(() => Date.now(), [isConnected]);
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now();
    }, tickMs);
    return () => clearInterval(timer);
  }, []);
  const current = news.value;
  const silent = now.value - Math.max(current?.arrivedAt ?? 0, connectedAt);
  const isSilent = isConnected && silent >= leastMs && silent >= longestSilence(followed.peek(), current);
  return (
    <>
      {isConnected && !isSilent && current !== undefined && (
        <span class="behind" title="Age of the newest row, by the clock of the service">
          {ageText(current, serviceNow())}
        </span>
      )}
      {current !== undefined && current.ahead > 0 && (
        <span class="problem" title="More than a minute ahead of the clock of the service, while others come">
          {current.ahead === 1 ? '1 row is' : `${current.ahead} rows are`} ahead of the clock and not shown
        </span>
      )}
      <span class={isConnected ? 'unseen' : 'problem'} role="status">
        {isConnected ? 'connected' : 'connecting…'}
      </span>
      <span class={isSilent ? 'problem' : 'unseen'} role="status">
        {isSilent && 'no data'}
      </span>
      {isSilent && (
        <span class="problem silent" title={current && `The newest row is ${ageText(current, serviceNow())}`}>
          for {wholeText(silent)}
        </span>
      )}
    </>
  );
}

/** `1.2 s behind`, or `3 h ahead` where rows have times that are yet to come. */
function ageText({ newest }: News, clock: number): string {
  const age = clock - Number(newest / 1_000_000n);
  const text =
    Math.abs(age) < 60_000
      ? `${(Math.abs(age) / 1000).toFixed(1)} s`
      : durationText(BigInt(Math.round(Math.abs(age))) * 1_000_000n);
  return age > -50 ? `${text} behind` : `${text} ahead`;
}

/** Whole seconds, or minutes and hours. */
function wholeText(millis: number): string {
  const seconds = Math.floor(millis / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
