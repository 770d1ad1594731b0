import type { Item } from './item.ts';
import { lacksStart, proposedStart, type StartAnswer, startOf, withStart } from './start.ts';

/** The start that is proposed for a file which does not say it; undefined where none fits. */
export function proposalOf({ chosen, opened }: Item): bigint | undefined {
  if (opened.value === undefined) return undefined;
  const { lastModified } = chosen.file;
  return proposedStart(opened.value, lastModified, new Date(lastModified).getTimezoneOffset() * -60_000);
}

/** Puts the rows of a file where somebody says. */
export function answerStart(item: Item, answer: StartAnswer, typed?: bigint): void {
  const found = item.opened.value;
  if (found === undefined || (!lacksStart(found) && answer !== 'typed')) return;
  const starts = {
    changed: proposalOf(item),
    typed: typed ?? startOf(found),
    zero: found.kind === 'log' ? found.log.start : 0n,
  };
  const start = starts[answer];
  if (start === undefined) return;
  item.opened.value = withStart(found, start);
  item.startAnswer.value = answer;
}
