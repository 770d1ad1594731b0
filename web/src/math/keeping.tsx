import type { Signal } from '@preact/signals';
import { isReadOnly, mayWrite, readOnlyText } from '../ui/permission.ts';
import { keepingTopic } from './keep.ts';

/** Whether it is kept for all, or belongs to the view. */
export function Keeping({ isToKeep, isKept }: { isToKeep: Signal<boolean>; isKept: boolean }) {
  const topic = keepingTopic.value;
  if (isKept) {
    return (
      <p class="soft">
        Kept for “{topic}”: a change is one for all who read it. {isReadOnly.value && readOnlyText}
      </p>
    );
  }
  const canKeep = topic !== undefined && mayWrite.value;
  return (
    <>
      <label class="choice">
        <input
          type="checkbox"
          checked={isToKeep.value}
          disabled={!canKeep}
          onChange={(event) => {
            isToKeep.value = event.currentTarget.checked;
          }}
        />
        {topic === undefined ? 'Keep for all' : `Keep for all who read “${topic}”`}
      </label>
      <p class="soft">
        {isReadOnly.value
          ? readOnlyText
          : topic === undefined
            ? 'The open runs are of several topics, and only one can keep it.'
            : 'If not, only this view has it: its address, and what you save and share.'}
      </p>
    </>
  );
}
