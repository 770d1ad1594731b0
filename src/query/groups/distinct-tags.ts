import type { ListedTag } from '../../domain/listing.ts';
import { compareText, type TagSet } from '../../domain/tags.ts';
import { PitwallError } from '../../errors.ts';

/** The most distinct values of a tag that are counted. */
export const mostValues = 1000;

/** The most bytes of names and values together: tags with a new name on every row would take any memory. */
const maxBytes = 32 << 20;
/** What a name and a value cost besides their texts. */
const nameOverheadBytes = 300;
const valueOverheadBytes = 64;

/** Collects the names of tags and how many values each has. */
export interface DistinctTags {
  /** Throws `query_too_large` (400) where names and values take too much memory. */
  add(name: string, value: string): void;
  addSet(set: TagSet): void;
  /** Whether `add` would change nothing, or the values of the name are counted no further. */
  knows(name: string, value: string): boolean;
  /** Whether the name has so many values that others make no difference. */
  isCounted(name: string): boolean;
  /** Returns the names in order of text, with how many values each has. */
  list(): ListedTag[];
}

interface Found {
  /** Undefined when enough are counted. */
  values: Set<string> | undefined;
  bytes: number;
  first: string;
  last: string;
}

export function distinctTags(): DistinctTags {
  const tags = new Map<string, Found>();
  let bytes = 0;

  function take(more: number): void {
    bytes += more;
    if (bytes > maxBytes) {
      throw new PitwallError('query_too_large', {
        detail: `the names and values of the tags there take more than ${maxBytes} bytes of memory; ask for fewer streams or a shorter time`,
      });
    }
  }

  function add(name: string, value: string): void {
    let tag = tags.get(name);
    if (tag === undefined) {
      take(2 * name.length + nameOverheadBytes);
      tag = { values: new Set(), bytes: 0, first: value, last: value };
      tags.set(name, tag);
    }
    const { values } = tag;
    if (values === undefined || values.has(value)) return;
    values.add(value);
    if (compareText(value, tag.first) < 0) tag.first = value;
    if (compareText(value, tag.last) > 0) tag.last = value;
    const cost = 2 * value.length + valueOverheadBytes;
    tag.bytes += cost;
    take(cost);
    if (values.size < mostValues) return;
    tag.values = undefined;
    bytes -= tag.bytes;
  }

  return {
    add,
    addSet(set) {
      for (const [name, value] of set.pairs) add(name, value);
    },
    knows(name, value) {
      const tag = tags.get(name);
      return tag !== undefined && (tag.values === undefined || tag.values.has(value));
    },
    isCounted(name) {
      const tag = tags.get(name);
      return tag !== undefined && tag.values === undefined;
    },
    list: () =>
      [...tags.keys()].sort().map((name) => {
        const { values, first, last } = tags.get(name)!;
        return { name, values: values?.size ?? mostValues, first, last };
      }),
  };
}
