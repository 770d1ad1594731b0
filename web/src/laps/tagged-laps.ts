import type { Client } from '../../../src/client/client.ts';
import { type LapAnswer, loadByLap } from './by-lap.ts';
import { type Group, type KeptBorders, loadLine, mostLines, type TaggedWish } from './lap-line.ts';
import { loadTurns } from './tag-turns.ts';

/** Laps that are values of a tag, and the lines between them. */
export async function loadTaggedLaps(
  client: Client,
  wish: TaggedWish,
  end: Promise<bigint>,
  kept: KeptBorders,
  signal: AbortSignal,
) {
  const { stream, tag, counted, speed } = wish;
  const numericParameters = [
    { parameterName: counted, aggregationType: 'Count' as const },
    ...(speed === undefined ? [] : [{ parameterName: speed, aggregationType: 'Max' as const }]),
  ];
  const [answers, last] = await Promise.all([
    loadByLap(client, stream, { tag }, { numericParameters }, signal),
    end,
  ]);
  const groupOf = ({ first, numberOf }: LapAnswer) => {
    const [rows, topSpeed] = [numberOf(`count(${counted})`) ?? 0, numberOf(`max(${speed})`)];
    return { first, rows, topSpeed };
  };
  const whole = answers.flatMap((answer): Group[] => {
    const { lap } = answer;
    return lap === null ? [] : [{ ...groupOf(answer), value: lap, tagged: lap }];
  });
  const turns = await loadTurns(client, wish, whole, last, signal);
  const groups =
    turns === undefined
      ? whole
      : await Promise.all(
          turns.map(async (turn): Promise<Group> => {
            const known = whole.find(({ tagged }) => tagged === turn.tagged)!;
            if (turn.isOnly) return { ...known, ...turn };
            const rows = { tagFilters: [{ tag, value: turn.tagged }] };
            const ranges = [{ name: turn.value, range: turn.range, rows }];
            const [own] = await loadByLap(client, stream, { ranges }, { numericParameters }, signal);
            return { ...known, ...(own && groupOf(own)), ...turn };
          }),
        );
  const lines = groups.map(async (lap, i) => {
    const next = groups[i + 1];
    if (next === undefined || i >= mostLines) return undefined;
    const key = JSON.stringify([wish, lap, next], (_, value) =>
      typeof value === 'bigint' ? `${value}` : value,
    );
    const known = kept.get(key);
    if (known !== undefined) return known.line;
    const line = await loadLine(client, wish, lap, next, signal);
    kept.set(key, { at: next.first, line });
    return line;
  });
  return { groups, lines: await Promise.all(lines) };
}
