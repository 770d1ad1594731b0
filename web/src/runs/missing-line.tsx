import { isLive } from '../state/view.ts';
import { missingStreams, openStreams } from './open-streams.ts';

/** Says which of the open runs are not there; where none is and nothing is drawn, the plots say so. */
export function MissingLine() {
  const missing = missingStreams.value;
  const isTold = missing.length > 0 && (isLive.value || openStreams.value.value?.length !== 0);
  return (
    <div role="status" class={isTold ? 'warning-note' : ''}>
      {isTold && (
        <span>
          {missing.map(({ streamId }) => `“${streamId}”`).join(', ')}: no such run. It may have been deleted.
        </span>
      )}
    </div>
  );
}
