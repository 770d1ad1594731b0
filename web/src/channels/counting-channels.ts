/** `lap`, `Lap No.`, `current_lap`, `LapNumber`: letters alone. */
const usual = /^(current)?laps?(number|num|no|nr|id|index|count|counter)?$/;
/** The same in other languages, as imports take them (`src/import/text/guess-columns.ts`). */
const usualElsewhere = /^(runden?(nr|nummer|zahl|zhler)?|tour|vuelta|giro)$/;

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

/** Whether a name says that it counts laps. */
export function countsLaps(name: string): boolean {
  const letters = lettersOf(name);
  return usual.test(letters) || usualElsewhere.test(letters);
}

/** The letters alone, small. */
export function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '');
}
