import { useSignal } from '@preact/signals';
import type { ParameterEntry } from '../channels/parameter-entry.ts';
import { mayWrite } from '../ui/permission.ts';
import { problemText } from '../ui/problem-text.ts';
import { keepingTopic, remove } from './keep.ts';
import { uses } from './uses.ts';

/** Takes a channel away. One that a topic keeps goes for all: who uses it is told before. */
export function Removal({ entry, onDone }: { entry: ParameterEntry; onDone: () => void }) {
  const isAsked = useSignal(false);
  const problem = useSignal('');
  const isKept = !entry.isOfView;
  if (isKept && (!mayWrite.value || keepingTopic.value === undefined)) return <Uses isKept={isKept} />;
  const act = async () => {
    try {
      await remove(entry, keepingTopic.peek());
      onDone();
    } catch (error) {
      problem.value = problemText(error);
    }
  };
  return (
    <>
      <Uses isKept={isKept} />
      <p class="buttons">
        {isAsked.value ? (
          <button type="button" onClick={act}>
            Remove “{entry.name}” for all
          </button>
        ) : (
          <button
            type="button"
            onClick={() => {
              if (isKept) isAsked.value = true;
              else act();
            }}
          >
            Remove
          </button>
        )}
      </p>
      <p class="problem" role="alert">
        {problem.value}
      </p>
    </>
  );
}

function Uses({ isKept }: { isKept: boolean }) {
  const { value, error } = uses.value;
  if (!isKept || error !== undefined || value === undefined) return null;
  return (
    <p class="soft">
      {value.length === 0
        ? 'No other kept channel and no saved view uses it.'
        : `Used by ${value.join(', ')}.`}
    </p>
  );
}
