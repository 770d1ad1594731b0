import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { timestampName } from '../../domain/table-names.ts';
import { proposeStart } from '../../import/propose-start.ts';
import { streamCount, streamOfRun } from '../../import/same-time/place-runs.ts';
import type { SameTimeChoices } from '../../import/same-time/stored-rows.ts';
import { timeFormText } from '../../import/text/map-rows.ts';
import { isTimeOfDay, type TextLayout, type TextSettings } from '../../import/text/text-layout.ts';
import { textNotes } from '../../import/text/text-notes.ts';
import type { Client } from '../client.ts';
import { CommandError } from '../command.ts';
import { createProgress } from '../progress.ts';
import { describeStream } from './describe-stream.ts';
import { columnsText, importedText, placeText, type TablePlace } from './import-table.ts';
import { type ImportText, openTextTable } from './open-text-table.ts';
import { runsThere } from './runs-there.ts';
import { checkRestarts, sendRows } from './send-rows.ts';
import { WhatIsIn } from './what-is-in.ts';

/**
 * Imports a text file; gives the line that says what is in, and what was taken for granted. Throws a CommandError.
 */
export async function importText(
  client: Client,
  path: string,
  settings: TextSettings,
  place: TablePlace,
  choices: SameTimeChoices,
): Promise<string> {
  const { topic, stream } = place;
  const progress = createProgress(process.stderr);
  // Who watches wants to see that it goes on; a log need not have it.
  const onPart = (part: number): void => {
    if (process.stderr.isTTY) progress.at(part, 'checked');
  };
  const table = await openTextTable(path, settings, place, onPart).finally(progress.end);
  const { layout, times } = table;
  checkRestarts(path, table, choices);
  await checkStart(path, table);
  const there: string[] = [];
  const isIn = new WhatIsIn(client);
  if (topic !== undefined && stream !== undefined) {
    const channels = layout.columns.filter(({ role }) => role === 'number');
    const start = hasStart(layout) ? layout.start : undefined;
    const runs = streamCount(times, choices.restarts);
    there.push(...(await runsThere(client, { topic, stream }, runs)));
    await isIn.during(table.rows, async () => {
      for (let run = 0; run < runs; run++) {
        const one = { topic, stream: streamOfRun(stream, run) };
        await describeStream(client, one, { metadata: layout.metadata, start, channels }, isIn);
      }
    });
  }
  const sent = await sendRows(client, table, place, choices, isIn);
  const notes = [columnsText(table.columns), ...sent.notes, ...there, ...notesOf(table)];
  return importedText(basename(path), sent, placeText(place), notes);
}

/** What was guessed that is not plain, and what was perhaps not meant. */
function notesOf({ layout, survey }: ImportText): string[] {
  const { columns, timeForm, start, isExport } = layout;
  const others = [...textNotes(layout, survey), ...formNotes(layout)];
  if (isExport && timeForm === 'ns') return [...others, ...since1970(survey.from)];
  const time = columns.find(({ role }) => role === 'time')!;
  const from = hasStart(layout) ? ` from ${isoTime(start)}` : '';
  const day = columns.find(({ role }) => role === 'day');
  const order = layout.dayOrder === undefined ? '' : `, ${layout.dayOrder.replace('-', ' ')}`;
  const days = day === undefined ? '' : `, of the days of ${day.header}${order}`;
  return [...others, `times of ${time.header}, ${timeFormText[timeForm]}${from}${days}`];
}

/** How the file is written, where that is not as most are. */
function formNotes({ encoding, decimal }: TextLayout): string[] {
  return [
    ...(decimal === ',' ? ['a comma before decimals'] : []),
    ...(encoding === 'utf-8' ? [] : [`letters in ${encoding}`]),
  ];
}

/** 1995-01-01, ns since the Unix epoch: nothing was logged before. */
const firstLogged = 788_918_400_000_000_000n;

/** Small numbers in a column that is named as that of an export may have another unit. */
function since1970(from: bigint | undefined): string[] {
  if (from === undefined || from >= firstLogged) return [];
  return [
    `times of ${timestampName}, nanoseconds from 1970 on, as in an export (--time-format FORM says otherwise)`,
  ];
}

/** Throws a CommandError where times count from a start that nobody says: the rows would be of 1970. */
async function checkStart(path: string, { layout, survey: { to } }: ImportText): Promise<void> {
  if (layout.isStartKnown || to === undefined) return;
  const { header } = layout.columns.find(({ role }) => role === 'time')!;
  const isOfDay = isTimeOfDay(layout);
  const { mtimeMs } = await stat(path);
  const zoneShift = new Date(mtimeMs).getTimezoneOffset() * -60_000;
  const proposed = proposeStart({ last: to - layout.start, isOfDay }, mtimeMs, zoneShift);
  const what = isOfDay ? 'are clocks of a day' : 'count from a start';
  const likely =
    proposed === undefined
      ? ''
      : ` (${new Date(Number(proposed / 1_000_000n)).toISOString()} puts the last row ${isOfDay ? 'before' : 'at'} the last change of the file)`;
  throw new CommandError(
    `${path}: the times of ${header} ${what} that the file does not say: --start TIME says it${likely}; --start 1970-01-01T00:00:00Z takes them as they stand`,
  );
}

function hasStart({ start, isStartKnown }: TextLayout): boolean {
  return isStartKnown && start !== 0n;
}

function isoTime(time: bigint): string {
  return new Date(Number(time / 1_000_000n)).toISOString();
}
