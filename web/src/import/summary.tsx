import { batch } from '@preact/signals';
import { chooseAnew } from '../channels/choose.ts';
import { readParametersAgain } from '../channels/parameters.ts';
import { timeText } from '../lines/time-text.ts';
import { readStreamsAgain } from '../runs/open-streams.ts';
import { show } from '../state/view.ts';
import { count } from './count.ts';
import { type Item, type Place, placeOf, type Step } from './item.ts';
import { closeQueue, phase, queue, selected } from './queue.ts';
import { importItems } from './run-import.ts';
import { FaultList } from './stages.tsx';
import { TakeBack } from './take-back-button.tsx';

/** How it ended: what is in, what is not and why, what was guessed, and ways to look at each. */
export function Summary() {
  const items = queue.value;
  const done = items.filter(({ step }) => step.value.at === 'done');
  const rows = done.reduce((sum, { step }) => sum + (step.value as DoneStep).done.rows, 0);
  return (
    <>
      {items.length > 1 && (
        <p role="status">
          {done.length} of {items.length} files are in, with {count(rows)}.
        </p>
      )}
      <ol class="summary">
        {items.map((item) => (
          <li key={item.id}>
            {items.length > 1 && <h3>{item.chosen.file.name}</h3>}
            <Outcome item={item} isOne={items.length === 1} />
          </li>
        ))}
      </ol>
    </>
  );
}

type DoneStep = Extract<Step, { at: 'done' }>;

function Outcome({ item, isOne }: { item: Item; isOne: boolean }) {
  const step = item.step.value;
  switch (step.at) {
    case 'done':
      return <Imported item={item} step={step} isOne={isOne} />;
    case 'faulty':
      return <Faulty item={item} />;
    case 'failed':
      return (
        <>
          <p class="problem" role="alert">
            {step.message}
          </p>
          <div class="buttons">
            {item.opened.value !== undefined && (
              <>
                <BackToPreview item={item} />
                <button type="button" onClick={() => importItems([item], false)}>
                  Import it again
                </button>
              </>
            )}
            <TakeBack item={item} />
          </div>
        </>
      );
    default:
      return (
        <>
          <p class="soft">Not begun; nothing was written.</p>
          <div class="buttons">
            <BackToPreview item={item} />
          </div>
        </>
      );
  }
}

function Imported({ item, step, isOne }: { item: Item; step: DoneStep; isOne: boolean }) {
  const { rows, from, to, notes, warning } = step.done;
  const place = placeOf(item);
  return (
    <>
      <p role={isOne ? 'status' : undefined}>
        {count(rows)} imported
        {from !== undefined && to !== undefined && `, from ${timeText(from)} to ${timeText(to)}`}. They are in
        topic {place.topic}, stream {place.streamId}.
      </p>
      <ul class="soft">
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
      {warning !== '' && (
        <p class="problem" role="alert">
          {warning}
        </p>
      )}
      <div class="buttons">
        <button type="button" class={isOne ? 'primary' : undefined} onClick={() => lookAt([place])}>
          Look at it
        </button>
        <TakeBack item={item} />
      </div>
    </>
  );
}

/** Closes the dialog and opens streams; no plots: the page chooses what says most. */
export function lookAt(streams: readonly Place[]): void {
  closeQueue();
  // They may be open already, as they were before all of their rows had come.
  readStreamsAgain();
  readParametersAgain();
  batch(() => {
    show({ streams, plots: [], range: undefined, mode: 'time', live: false });
    chooseAnew();
  });
}

function Faulty({ item }: { item: Item }) {
  const found = item.opened.value;
  if (found?.kind !== 'text') return null;
  const { rows, faults } = found.review.survey;
  return (
    <>
      <p class="problem" role="alert">
        {rows === 0 && faults === 0 ? 'There is no row' : `${count(faults)} cannot be imported`}; nothing was
        written.
      </p>
      <FaultList item={item} />
      <div class="buttons">
        <BackToPreview item={item} />
        {rows > 0 && (
          <button type="button" onClick={() => importItems([item], true)}>
            Import the other {count(rows)}, leave {faults === 1 ? 'it' : 'these'} out
          </button>
        )}
      </div>
    </>
  );
}

function BackToPreview({ item }: { item: Item }) {
  return (
    <button
      type="button"
      onClick={() => {
        item.step.value = { at: 'ready' };
        selected.value = item;
        phase.value = 'asking';
      }}
    >
      {item.opened.value?.kind === 'text' ? 'Back to the columns' : 'Back to the channels'}
    </button>
  );
}
