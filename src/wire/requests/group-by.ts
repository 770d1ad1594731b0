import { fault } from '../base/fault.ts';
import { listOf, type Read, text } from './fields.ts';

/** The default maximum of tags of a row: grouping by more is a mistake, and not cheap. */
const maxGroupBy = 256;

/** The tags of `groupBy`, each once, in the order in which they come. Throws `too_many_tags`. */
export const groupByTags: Read<readonly string[] | undefined> = (value, path) => {
  const tags = listOf(text)(value, path);
  if (tags === undefined) return undefined;
  const distinct = new Set(tags);
  if (distinct.size > maxGroupBy) {
    throw fault('too_many_tags', path, `has ${distinct.size} tags; ${maxGroupBy} are allowed`);
  }
  return [...distinct];
};
