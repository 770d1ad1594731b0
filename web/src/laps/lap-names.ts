import type { TagInfo } from '../../../src/client/client.ts';
import { countsLaps, lettersOf } from '../channels/counting-channels.ts';

/** A name that has the word and something else: `carLap`, `lap of stint`. */
const hasWord = /(^|[^a-z])lap([^a-z]|$)/;
/** `bestLap` and the like: about a lap, and not which one it is. */
const isAbout = /best|fastest|last|previous|total|time|length|distance/;
const whole = /^\d+$/;

/** The tag that counts laps, by its name and the first and last of its values; empty where none seems to. */
export function lapTagOf(tags: readonly TagInfo[]): string {
  const ranked = tags.flatMap((tag) => {
    const rank = rankOf(tag);
    return rank === undefined ? [] : [{ name: tag.name, rank, values: tag.values }];
  });
  ranked.sort((a, b) => a.rank - b.rank || b.values - a.values);
  return ranked[0]?.name ?? '';
}

/** 0 is the likeliest. */
function rankOf({ name, first, last }: TagInfo): number | undefined {
  const counts = whole.test(first) && whole.test(last);
  if (countsLaps(name)) return (counts ? 0 : 2) + (lettersOf(name) === 'lap' ? 0 : 1);
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return counts && hasWord.test(words) && !isAbout.test(words) ? 4 : undefined;
}
