import { count } from './count.ts';
import type { Item, Step } from './item.ts';
import { rowsOf } from './opened.ts';
import { problemOf } from './problem.ts';
import { phase, queue, removeItem, selected } from './queue.ts';

/** The files, each with how far it is; the one that is chosen is shown beside. */
export function QueueList() {
  return (
    <ul class="queue-list" aria-label="Files">
      {queue.value.map((item) => (
        <li key={item.id}>
          <button
            type="button"
            class="quiet"
            aria-current={selected.value === item}
            disabled={phase.value === 'writing'}
            onClick={() => {
              selected.value = item;
            }}
          >
            <span class="file-name">{item.chosen.file.name}</span>
            <State item={item} />
          </button>
          {phase.value === 'asking' && (
            <button
              type="button"
              class="quiet"
              aria-label={`Take ${item.chosen.file.name} out`}
              title="Take it out"
              onClick={() => removeItem(item)}
            >
              ×
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

const stageNames = { reading: 'Reading', checking: 'Checking', writing: 'Writing' } as const;

function State({ item }: { item: Item }) {
  const step = item.step.value;
  if ('share' in step) {
    return (
      <span class="state">
        {stageNames[step.at]} <progress value={step.share} aria-label={item.chosen.file.name} />
      </span>
    );
  }
  const isBad = step.at === 'failed' || step.at === 'faulty' || needsAnswer(item);
  return <span class={`state ${isBad ? 'problem' : 'soft'}`}>{stateText(item, step)}</span>;
}

function stateText(item: Item, step: Exclude<Step, { share: number }>): string {
  const found = item.opened.value;
  switch (step.at) {
    case 'waiting':
      return 'Waits';
    case 'ready': {
      if (needsAnswer(item)) return 'Needs an answer';
      const faults = found?.kind === 'text' ? found.review.survey.faults : 0;
      if (faults > 0) return `${count(faults)} with faults`;
      return found === undefined ? '' : count(rowsOf(found));
    }
    case 'faulty':
      return 'Has faults, not written';
    case 'failed':
      return step.message;
    case 'done':
      return `${count(step.done.rows)} in`;
  }
}

function needsAnswer(item: Item): boolean {
  return item.step.value.at === 'ready' && problemOf(item) !== undefined;
}
