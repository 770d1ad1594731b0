import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { timeText } from '../look/time-text.ts';
import { ColumnsTable } from './columns-table.tsx';
import { closeImport, file, importFile, lookAtImport, mapping, type Step, step } from './import-state.ts';
import { mappingProblem } from './mapping.ts';
import { Place } from './place.tsx';
import type { Survey } from './survey.ts';

/** From a dropped file to a stream: what its columns mean, what is wrong with it, how far it is. */
export function ImportDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const chosen = file.value;
  useEffect(() => {
    if (chosen !== undefined && !dialog.current?.open) dialog.current?.showModal();
    if (chosen === undefined) dialog.current?.close();
  }, [chosen]);
  return (
    <dialog ref={dialog} class="import" aria-labelledby="import-title" onClose={closeImport}>
      <h2 id="import-title">Import {chosen?.name}</h2>
      {chosen !== undefined && <Stage step={step.value} />}
    </dialog>
  );
}

function Stage({ step }: { step: Step }) {
  switch (step.at) {
    case 'mapping':
      return <MappingForm />;
    case 'faulty':
      return <Faults survey={step.survey} />;
    case 'done':
      return <Done survey={step.survey} rows={step.rows} />;
    case 'failed':
      return (
        <>
          <p class="problem" role="alert">
            {step.message}
          </p>
          <Buttons>
            {mapping.value !== undefined && <BackToMapping />}
            <Close text="Close" />
          </Buttons>
        </>
      );
    default:
      return (
        <>
          <label>
            {stageNames[step.at]} <progress value={step.share} /> {Math.floor(step.share * 100)} %
          </label>
          <Buttons>
            <Close text="Stop" />
          </Buttons>
        </>
      );
  }
}

const stageNames = {
  reading: 'Reading the file',
  checking: 'Checking every row',
  writing: 'Writing',
} as const;

function MappingForm() {
  const meaning = mapping.value;
  if (meaning === undefined) return null;
  const problem = mappingProblem(meaning);
  return (
    <>
      <Place />
      <ColumnsTable />
      <p class={problem === undefined ? 'soft' : 'problem'} role="status">
        {problem ?? 'Every row is checked before the first one is written.'}
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

function Faults({ survey: { rows, faults, firstFaults } }: { survey: Survey }) {
  return (
    <>
      <p class="problem" role="alert">
        {count(faults, 'row')} cannot be imported; nothing was written.
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
        <BackToMapping />
        {rows > 0 && (
          <button type="button" onClick={() => importFile(true)}>
            Import the other {count(rows, 'row')}, leave {faults === 1 ? 'it' : 'these'} out
          </button>
        )}
        <Close text="Cancel" />
      </Buttons>
    </>
  );
}

function Done({ survey: { faults, from, to, repeated }, rows }: { survey: Survey; rows: number }) {
  return (
    <>
      <p role="status">
        {count(rows, 'row')} imported, from {timeText(from!)} to {timeText(to!)}.
        {faults > 0 && ` ${count(faults, 'row')} with faults left out.`}
        {repeated > 0 &&
          ` ${count(repeated, 'row')} had the time and the tags of the row before and replaced its values.`}
      </p>
      <Buttons>
        <button type="button" class="primary" onClick={lookAtImport}>
          Look at it
        </button>
        <Close text="Close" />
      </Buttons>
    </>
  );
}

function BackToMapping() {
  return (
    <button
      type="button"
      onClick={() => {
        step.value = { at: 'mapping' };
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

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
