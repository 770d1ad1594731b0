import { type Item, placeOf } from './item.ts';
import { layoutProblem } from './review-text.ts';
import { lacksStart } from './start.ts';
import { existing } from './there.ts';

/** What keeps a file that was read from being imported; undefined where nothing does. */
export function problemOf(item: Item): string | undefined {
  const found = item.opened.value;
  if (found === undefined) return undefined;
  const { topic, streamId } = placeOf(item);
  if (topic === '') return 'A topic is needed.';
  if (streamId === '') return 'The stream needs an id.';
  const problem = found.kind === 'text' ? layoutProblem(found.review.layout) : undefined;
  if (problem !== undefined) return problem;
  if (lacksStart(found) && item.startAnswer.value === undefined)
    return 'The file does not say when it began: say it above.';
  if (existing(item) !== undefined && !item.target.value.isAdded)
    return `There is a stream ${streamId} already: choose another name, or say that its rows may be added.`;
  return undefined;
}
