import { useSignal } from '@preact/signals';
import type { Item } from './item.ts';
import { queue } from './queue.ts';
import { hasOwnDates, lacksStart, type StartAnswer, startOf, startProblem } from './start.ts';
import { answerStart, proposalOf } from './start-answer.ts';
import { parseStart, startText } from './start-text.ts';

/** When the recording began: as the file says, to be changed; or a question, where it does not say it. */
export function StartChoice({ item }: { item: Item }) {
  const found = item.opened.value;
  if (found === undefined || hasOwnDates(found)) return null;
  const label = found.kind === 'log' ? 'Start (UTC)' : 'Counted from (UTC)';
  if (!lacksStart(found))
    return (
      <div class="choices">
        <StartField item={item} label={label} />
      </div>
    );
  const answer = item.startAnswer.value;
  const proposal = proposalOf(item);
  const others = queue.value.filter((other) => other !== item && isAsked(other));
  const option = (value: StartAnswer, text: string) => (
    <label>
      <input type="radio" name="start" checked={answer === value} onChange={() => answerStart(item, value)} />
      {text}
    </label>
  );
  return (
    <fieldset class="start-choice">
      <legend>When did it begin? The file does not say it.</legend>
      {proposal !== undefined &&
        option(
          'changed',
          `${startText(proposal)} UTC: so the last row is at the last change of the file (${startText(BigInt(item.chosen.file.lastModified) * 1_000_000n)})`,
        )}
      <span class="start-typed">
        {option('typed', 'at another time')}
        <StartField item={item} label={label} />
      </span>
      {option('zero', `${startText(0n).slice(0, 10)}: the numbers stand as they are`)}
      {others.length > 0 && answer !== undefined && answer !== 'typed' && (
        <button type="button" onClick={() => answerAll(others, answer)}>
          The same for {others.length === 1 ? 'the other file' : `the ${others.length} other files`} without a
          start
        </button>
      )}
    </fieldset>
  );
}

function answerAll(items: readonly Item[], answer: StartAnswer): void {
  for (const item of items) answerStart(item, answer);
}

function isAsked({ opened, startAnswer, step }: Item): boolean {
  const found = opened.value;
  return (
    step.value.at === 'ready' && found !== undefined && lacksStart(found) && startAnswer.value === undefined
  );
}

/** It counts as it is typed. */
function StartField({ item, label }: { item: Item; label: string }) {
  const typed = useSignal<string | undefined>(undefined);
  const found = item.opened.value!;
  const isKnown = !lacksStart(found) || item.startAnswer.value !== undefined;
  return (
    <label class="start">
      {label}
      <input
        type="text"
        placeholder="2026-05-31 12:30:00"
        value={typed.value ?? (isKnown ? startText(startOf(found)) : '')}
        onInput={(event) => {
          const field = event.currentTarget;
          const start = parseStart(field.value.trim());
          const problem = startProblem(found, start);
          typed.value = field.value;
          field.setCustomValidity(problem ?? '');
          if (problem === undefined) answerStart(item, 'typed', start);
        }}
        onBlur={({ currentTarget: field }) => {
          if (field.reportValidity()) typed.value = undefined;
        }}
      />
    </label>
  );
}
