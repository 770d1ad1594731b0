import { type Item, placeOf } from './item.ts';
import { meetingQuestion } from './meeting.ts';
import { layoutProblem } from './review-text.ts';
import { lacksStart } from './start.ts';
import { existing } from './there.ts';

const placeNames = ['streamId', 'topic'];

/** What keeps a file that was read from being imported; undefined where nothing does. */
export function problemOf(item: Item): string | undefined {
  const found = item.opened.value;
  if (found === undefined) return undefined;
  const { topic, streamId } = placeOf(item);
  if (topic === '') return 'A topic is needed.';
  if (streamId === '') return 'The stream needs an id.';
  const problem = found.kind === 'text' ? layoutProblem(found.review.layout) : undefined;
  if (problem !== undefined) return problem;
  if (found.kind === 'table') {
    if (found.fault !== undefined) return withLabels(found.fault);
    if (found.table?.columns.some(({ name, use }) => use === 'ignored' && placeNames.includes(name)))
      return 'A column says which stream or topic a row is of, and here all go to one: leave it out, or use pitwall import.';
  }
  if (found.kind === 'log' && (found.log.faults ?? []).length > 0 && !found.isPartial)
    return 'Parts of the file have faults: say above whether the rest is imported.';
  if (lacksStart(found) && item.startAnswer.value === undefined)
    return 'The file does not say when it began: say it above.';
  if (meetingQuestion(found, item.choices.value) !== undefined)
    return 'Rows of the file have times that were there before: say above what becomes of them.';
  if (existing(item) !== undefined && !item.target.value.isAdded)
    return `There is a stream ${streamId} already: choose another name, or say that its rows may be added.`;
  return undefined;
}

const labels: Readonly<Record<string, string>> = {
  '--timestamp': '“Time column”',
  '--time-format': '“Time in”',
  '--start': '“When did it begin”',
  '--skip': '“Left out”',
};

/** What a reader advises, with the labels of the page for the options of the command. */
function withLabels(message: string): string {
  return message.replaceAll(/--[a-z-]+/g, (option) => labels[option] ?? option);
}
