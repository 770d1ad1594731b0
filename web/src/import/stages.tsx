import type { ComponentChildren } from 'preact';
import { timeText } from '../lines/time-text.ts';
import { ChannelsTable } from './channels-table.tsx';
import { ColumnsTable } from './columns-table.tsx';
import { closeImport, type Done, opened, type Step, step, target } from './import-state.ts';
import { Place } from './place.tsx';
import { layoutProblem, type TextReview } from './review-text.ts';
import { count, importFile, lookAtImport } from './run-import.ts';
import { TextChoices } from './text-choices.tsx';

/** What the dialog shows of the import that is on its way. */
export function Stage() {
  const now = step.value;
  switch (now.at) {
    case 'preview':
      return <Preview />;
    case 'faulty':
      return <Faults review={now.review} />;
    case 'done':
      return <Outcome done={now.done} />;
    case 'failed':
      return <Failed message={now.message} />;
    default:
      return <Working at={now.at} share={now.share} />;
  }
}

const stageNames = {
  reading: 'Reading the file',
  checking: 'Checking every row',
  writing: 'Writing',
} as const;

function Working({ at, share }: Extract<Step, { share: number }>) {
  return (
    <>
      <label>
        {stageNames[at]} <progress value={share} /> {Math.floor(share * 100)} %
      </label>
      <Buttons>
        <Close text="Stop" />
      </Buttons>
    </>
  );
}

function Preview() {
  const found = opened.value;
  if (found === undefined) return null;
  const problem = placeProblem() ?? (found.kind === 'text' ? layoutProblem(found.review.layout) : undefined);
  const faults = found.kind === 'text' ? found.review.survey.faults : 0;
  const hint =
    faults > 0
      ? `${count(faults)} cannot be read so. Every row is checked before the first one is written.`
      : 'Every row is checked before the first one is written.';
  return (
    <>
      <Place />
      {found.kind === 'text' ? <TextChoices /> : null}
      {found.kind === 'text' ? <ColumnsTable /> : <ChannelsTable />}
      <p class={problem === undefined ? 'soft' : 'problem'} role="status">
        {problem ?? hint}
      </p>
      <Buttons>
        <button
          type="button"
          class="primary"
          disabled={problem !== undefined}
          onClick={() => importFile(false)}
        >
          Import
        </button>
        <Close text="Cancel" />
      </Buttons>
    </>
  );
}

function placeProblem(): string | undefined {
  const { topic, streamId } = target.value;
  if (topic.trim() === '') return 'A topic is needed.';
  return streamId.trim() === '' ? 'The stream needs an id.' : undefined;
}

function Failed({ message }: { message: string }) {
  return (
    <>
      <p class="problem" role="alert">
        {message}
      </p>
      <Buttons>
        {opened.value !== undefined && <BackToPreview />}
        <Close text="Close" />
      </Buttons>
    </>
  );
}

function Faults({ review: { survey } }: { review: TextReview }) {
  const { rows, faults, firstFaults } = survey;
  return (
    <>
      <p class="problem" role="alert">
        {rows === 0 && faults === 0 ? 'There is no row' : `${count(faults)} cannot be imported`}; nothing was
        written.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ol class="faults" aria-label="What is wrong" tabIndex={0}>
        {firstFaults.map(({ line, message }) => (
          <li key={line}>
            line {line}: {message}
          </li>
        ))}
      </ol>
      {faults > firstFaults.length && <p class="soft">and {faults - firstFaults.length} more</p>}
      <Buttons>
        <BackToPreview />
        {rows > 0 && (
          <button type="button" onClick={() => importFile(true)}>
            Import the other {count(rows)}, leave {faults === 1 ? 'it' : 'these'} out
          </button>
        )}
        <Close text="Cancel" />
      </Buttons>
    </>
  );
}

function Outcome({ done: { rows, from, to, notes, warning } }: { done: Done }) {
  return (
    <>
      <p role="status">
        {count(rows)} imported
        {from !== undefined && to !== undefined && `, from ${timeText(from)} to ${timeText(to)}`}.
        {notes.map((note) => ` ${note}`)}
      </p>
      {warning !== '' && (
        <p class="problem" role="alert">
          {warning}
        </p>
      )}
      <Buttons>
        <button type="button" class="primary" onClick={lookAtImport}>
          Look at it
        </button>
      </Buttons>
    </>
  );
}

function BackToPreview() {
  return (
    <button
      type="button"
      onClick={() => {
        step.value = { at: 'preview' };
      }}
    >
      Back to the columns
    </button>
  );
}

function Close({ text }: { text: string }) {
  return (
    <button type="button" onClick={closeImport}>
      {text}
    </button>
  );
}

function Buttons({ children }: { children: ComponentChildren }) {
  return <div class="buttons">{children}</div>;
}
