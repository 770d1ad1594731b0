import { computed } from '@preact/signals';
import { search, topic } from '../state/view.ts';
import { Empty } from '../ui/notice.tsx';
import { isTouch } from '../ui/touch.ts';
import { found, narrowing } from './found.ts';

const isNarrowed = computed(() => {
  const { status, location, metadata } = narrowing.value;
  return [search.value, topic.value, status, location, metadata].some((text) => text !== '');
});

/** Whether the service has no run at all. */
export const hasNoRuns = computed(() => found.value.value?.length === 0 && !isNarrowed.value);

/** How the first run comes. */
export function NoRunsYet() {
  return (
    <Empty title="No runs yet">
      <p>
        {isTouch ? 'Import a file under Runs' : 'Drop a file on this page'}, or write{' '}
        <a href="./docs">rows by the API</a>: the first run opens by itself.
      </p>
    </Empty>
  );
}

/** Why the list of runs is empty. */
export function NothingFound() {
  if (!isNarrowed.value) return <Empty title="No runs yet" />;
  return (
    <Empty title="Nothing matches">
      <p>No run has all of this. Take something out of the search or the filters.</p>
    </Empty>
  );
}
