import type { TagInfo } from '../../../src/client/client.ts';

/** `lap`, `Lap No.`, `current_lap`, `LapNumber`: letters alone. */
const usual = /^(current)?laps?(number|num|no|nr|id|index|count|counter)?$/;
/** The same in other languages, as imports take them (`src/import/text/guess-columns.ts`). */
const usualElsewhere = /^(runden?(nr|nummer|zahl|zhler)?|tour|vuelta|giro)$/;
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

/** So many channels are looked at. */
const mostChannels = 4;

/** The channels with numbers whose names say that they count laps, the likeliest first. */
export function countingChannels(
  channels: readonly { readonly id: string; readonly name: string; readonly type: string }[],
): string[] {
  const found = channels.filter(
    ({ type, id, name }) => type === 'Numeric' && [id, name, lastPart(id)].some(countsLaps),
  );
  return found
    .map(({ id }) => id)
    .sort((a, b) => a.length - b.length)
    .slice(0, mostChannels);
}

/** `Lap` of `CAN1.Lap` and `/ecu/Lap`. */
function lastPart(id: string): string {
  return id.split(/[./]/).at(-1)!;
}

/** Whether a channel's name says that it counts laps. */
function countsLaps(name: string): boolean {
  const letters = lettersOf(name);
  return usual.test(letters) || usualElsewhere.test(letters);
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '');
}

/** 0 is the likeliest. */
function rankOf({ name, first, last }: TagInfo): number | undefined {
  const counts = whole.test(first) && whole.test(last);
  if (countsLaps(name)) return (counts ? 0 : 2) + (lettersOf(name) === 'lap' ? 0 : 1);
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return counts && hasWord.test(words) && !isAbout.test(words) ? 4 : undefined;
}
