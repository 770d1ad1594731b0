import { streamName } from '../runs/stream-name.ts';
import { staysOpen } from './close-again.ts';
import { leftOpen } from './left-open.ts';

/** Says which runs are open since a note was written, and what becomes of that. */
export function LeftOpenLine() {
  const waiting = leftOpen.value.filter(({ isTold }) => isTold);
  const stays = staysOpen.value;
  return (
    <div role="status" class={waiting.length === 0 && stays === undefined ? '' : 'warning-note'}>
      {waiting.length > 0 && (
        <span>
          {waiting.map(({ stream }) => `“${streamName(stream)}”`).join(', ')}: open since your note. It is
          closed again as soon as the service answers.
        </span>
      )}
      {stays !== undefined && (
        <>
          <span>
            “{streamName(stays.stream)}” was closed and stays open: {stays.why}
          </span>
          <button
            type="button"
            aria-label="Hide this line"
            onClick={() => {
              staysOpen.value = undefined;
            }}
          >
            ×
          </button>
        </>
      )}
    </div>
  );
}
