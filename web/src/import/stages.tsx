import { ChannelsTable } from './channels-table.tsx';
import { ColumnsTable } from './columns-table.tsx';
import { count } from './count.ts';
import type { Item, Step } from './item.ts';
import { MeetingChoice } from './meeting-choice.tsx';
import { PlaceFields } from './place.tsx';
import { problemOf } from './problem.ts';
import { readAgain } from './queue.ts';
import { StartChoice } from './start-choice.tsx';
import { TableChoices } from './table-choices.tsx';
import { TextChoices } from './text-choices.tsx';

/** What the dialog shows of one file before it is imported. */
export function Stage({ item }: { item: Item }) {
  const step = item.step.value;
  if ('share' in step) return <Working step={step} />;
  switch (step.at) {
    case 'waiting':
      return <p class="soft">It is read when those before it are.</p>;
    case 'failed':
      return <Failed item={item} message={step.message} />;
    case 'done':
      return <p class="soft">It is in.</p>;
    default:
      return <Preview item={item} />;
  }
}

const stageNames = {
  reading: 'Reading the file',
  checking: 'Checking every row',
  writing: 'Writing',
} as const;

export function Working({ step: { at, share } }: { step: Extract<Step, { share: number }> }) {
  return (
    <label>
      {stageNames[at]} <progress value={share} /> {Math.floor(share * 100)} %
    </label>
  );
}

function Preview({ item }: { item: Item }) {
  const found = item.opened.value;
  if (found === undefined) return null;
  const problem = problemOf(item);
  const faults = found.kind === 'text' ? found.review.survey.faults : 0;
  const hint =
    faults > 0
      ? `${count(faults)} cannot be read so. Every row is checked before the first one is written.`
      : 'Every row is checked before the first one is written.';
  return (
    <>
      <PlaceFields item={item} />
      <StartChoice item={item} />
      <MeetingChoice item={item} />
      {found.kind === 'text' && (
        <>
          <TextChoices item={item} found={found} />
          <ColumnsTable item={item} found={found} />
        </>
      )}
      {found.kind === 'table' && <TableChoices item={item} found={found} />}
      {found.kind === 'log' && <ChannelsTable item={item} found={found} />}
      {faults > 0 && <FaultList item={item} />}
      <p class={problem === undefined ? 'soft' : 'problem'} role="status">
        {problem ?? hint}
      </p>
    </>
  );
}

function Failed({ item, message }: { item: Item; message: string }) {
  return (
    <>
      <p class="problem" role="alert">
        {message}
      </p>
      <div class="buttons">
        <button type="button" onClick={() => readAgain(item)}>
          Read it again
        </button>
      </div>
    </>
  );
}

/** The first rows with faults, each with its line. */
export function FaultList({ item }: { item: Item }) {
  const found = item.opened.value;
  if (found?.kind !== 'text') return null;
  const { faults, firstFaults } = found.review.survey;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ol class="faults" aria-label="What is wrong" tabIndex={0}>
        {firstFaults.map(({ line, message }) => (
          <li key={line}>
            line {line}: {message}
          </li>
        ))}
      </ol>
      {faults > firstFaults.length && <p class="soft">and {faults - firstFaults.length} more</p>}
    </>
  );
}
