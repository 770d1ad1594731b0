import type { StreamInfo } from '../../../src/client/client.ts';

const meanings: Partial<Record<StreamInfo['status'], string>> = {
  Open: 'Rows are still written',
  Interrupted: 'No rows for a while, and nobody said that it is finished. What was written is there.',
  Closed: 'Finished',
};

/** Whether a run goes on, and what that means. */
export function RunStatus({ status }: Pick<StreamInfo, 'status'>) {
  return (
    <span class={`status ${status.toLowerCase()}`} title={meanings[status]}>
      {status}
    </span>
  );
}
