import { unpackedName } from '../import/compression/unpacked-file.ts';
import { type FileKind, fileKinds } from '../import/file-ends.ts';
import { kindOfFile, logKinds } from '../import/file-kinds.ts';
import { messageTimes } from '../import/mcap/message-time.ts';
import { clientHelp, clientOptions, createClient } from './client.ts';
import { type Command, readArguments, splitList, UsageError } from './command.ts';
import { importLog } from './import/import-log.ts';
import { importRows, type RowsKind } from './import/import-rows.ts';
import { defaultTimestamp, type ImportOptions } from './import/import-table.ts';
import { importText } from './import/import-text.ts';
import { findKind, type LogOptions } from './import/open-log.ts';
import { sameTimeChoices, sameTimeHelp, sameTimeOptions } from './import/same-time-options.ts';
import { textHelp, textOptions, textSettings, timeFormWords } from './import/text-options.ts';
import { plainLines } from './plain-lines.ts';
import { print } from './standard-output.ts';

export const importCommand: Command = {
  name: 'import',
  summary:
    'load a file of a logger or a table: CSV and other text, Parquet, JSON, Arrow, MoTeC, MDF4, MCAP, CAN logs, NMEA, GPX',
  help: () => `pitwall import FILE.csv|FILE.parquet|FILE.json|FILE.arrow [--topic NAME] [--stream ID] [--timestamp COLUMN]
               [--tags COLUMN,COLUMN] [--binaries COLUMN,COLUMN] [--texts COLUMN,COLUMN] [options of text files]
pitwall import FILE.ld|FILE.mf4|FILE.mcap|FILE.gpx|FILE.nmea --topic NAME --stream ID [--start TIME]
pitwall import FILE.asc|FILE.blf|FILE.log|FILE.mf4 --dbc FILE.dbc [--dbc FILE.dbc] --topic NAME --stream ID [--start TIME]

Reads the file twice: first it checks every row and finds out which columns hold numbers and which hold text, then
it sends the rows. Nothing is sent of a file with a fault. Loading a file again changes nothing. Ctrl+C ends it after the
request that is on its way, and it says how many rows are in; a second one ends it at once.

Text may be as loggers and spreadsheets write it: lines above the names of columns, a row of units, 'Speed [km/h]',
decimal commas, dates, clocks, seconds since a start. What the command took for granted stands in what it prints.
JSON is an array or lines of row objects, a table of pandas, or what /parameters/data answers. Columns named TAG__name
are tags, as in what pitwall export writes. Text, JSON, GPX, NMEA and CAN logs may be packed with gzip or zstd
(run.csv.gz, run.ndjson.zst).

A MoTeC log (.ld) brings its channels, their units, and what it says of driver, vehicle and venue. With the .ldx file
beside it rows have the tag LapNumber. An MDF4 file (.mf4) brings the channels that are numbers or texts, with their units.
An MCAP file brings the fields of its messages (JSON, protobuf, ROS 1 and 2, IDL) and its metadata.
Logs of CAN buses (.asc and .blf of Vector, what candump writes, bus logging in MDF4) bring the signals that the DBC
files of --dbc describe. Logs of NMEA 0183 (.nmea, .log, .txt) and tracks of GPX (.gpx) bring positions, speeds, and
what devices add. Times without a zone are taken for UTC.

  --topic NAME       the topic to write to; without it the column TAG__topic says so row by row
  --stream ID        the stream to write to; without it the column TAG__streamId says so row by row
  --timestamp COLUMN the column with the time: guessed in text, else ${defaultTimestamp}. In other tables a time by its
                     type, nanoseconds since 1970, or ISO 8601 text; other numbers need --time-format or --start
  --tags LIST        columns that are tags rather than parameters, with commas (\\, is a comma in a name); in text
                     columns named like laps, runs, drivers or cars are tags without it
  --binaries LIST    columns of base64 that are binaries (text and row objects cannot say so themselves)
  --message-time T   of an MCAP file, which time messages have: log (without it), publish, or stamp, which is the
                     message's own header.stamp or timestamp
  --skip LIST        columns that are left out, or fields inside of them (pos, pos.x); of an MCAP file, topics
  --texts LIST       columns that are text, also where cells are numbers; without it a text in a column where most
                     cells are numbers is a fault
  --time-format FORM the form of times in a table: ${timeFormWords.slice(0, 6).join(', ')},
                     or a number in ${timeFormWords.slice(6).join(', ')}; guessed in text. Numbers of
                     which the unit is not plain are refused until it is said
  --start TIME       the start that numbers and clocks count from, such as 2021-05-08T14:03:10Z; needed where the
                     file does not say it
  --dbc FILE         what the frames of a CAN log mean; may be given several times, the first that has a message counts

${textHelp}

${sameTimeHelp}

${clientHelp}`,

  async run(argv) {
    const { values, positionals } = readArguments(argv, {
      ...clientOptions,
      ...textOptions,
      ...sameTimeOptions,
      topic: { type: 'string' },
      stream: { type: 'string' },
      timestamp: { type: 'string' },
      tags: { type: 'string', multiple: true },
      binaries: { type: 'string', multiple: true },
      texts: { type: 'string', multiple: true },
      skip: { type: 'string', multiple: true },
      'message-time': { type: 'string' },
      dbc: { type: 'string', multiple: true },
    });
    const [path, ...rest] = positionals;
    if (path === undefined || rest.length > 0)
      throw new UsageError('one file, please: pitwall import FILE.csv …');
    const options: ImportOptions = {
      timestamp: values.timestamp ?? defaultTimestamp,
      tags: splitList(values.tags),
      binaries: splitList(values.binaries),
      texts: splitList(values.texts),
      skip: splitList(values.skip),
      topic: values.topic,
      stream: values.stream,
    };
    if (options.topic === '' || options.stream === '')
      throw new UsageError('--topic and --stream need a name');
    checkRoles(options);
    const kind = await findKind(path);
    if (kind === undefined) {
      const packed =
        kindOfFile(unpackedName(path)) === undefined
          ? ''
          : ' (packed files are read of text, JSON, positions and CAN logs only)';
      throw new UsageError(`${path} ends in none of ${Object.values(fileKinds).flat().join(', ')}${packed}`);
    }
    const isLog = logKinds.includes(kind);
    if (isLog) checkLogOptions(values);
    if (values.dbc !== undefined && kind !== 'can' && kind !== 'mdf4')
      throw new UsageError('--dbc has a meaning for logs of CAN buses and MDF4 only');
    const settings = textSettings(values);
    const choices = sameTimeChoices(values);
    if (kind !== 'text') checkTextOptions(values, isLog);
    const messages = messageOptions(kind, values['message-time'], splitList(values.skip));
    const client = createClient(values, process.env);
    const load = async (): Promise<string> => {
      if (isLog)
        return importLog(
          client,
          {
            path,
            kind,
            place: { topic: options.topic!, stream: options.stream! },
            start: settings.start,
          },
          { ...messages, dbc: values.dbc ?? [] },
          choices,
        );
      if (kind === 'text') return importText(client, path, settings, options, choices);
      const { timeForm, start } = settings;
      return importRows(client, path, kind as RowsKind, options, { timeForm, start }, choices);
    };
    try {
      // Names come from the file.
      await print(plainLines(await load()));
      return 0;
    } finally {
      client.close();
    }
  },
};

/** A column is one thing. */
function checkRoles({ timestamp, tags, binaries, texts, skip }: ImportOptions): void {
  const named = [timestamp, ...[tags, binaries, texts, skip].flatMap((names) => [...new Set(names)])];
  const twice = named.find((name, i) => named.indexOf(name) < i);
  if (twice !== undefined) {
    const first = twice === timestamp ? 'time and tag' : 'tag';
    throw new UsageError(`the column ${twice} cannot be ${first}, binary, text or left out at once`);
  }
}

/** What all tables may be told, and what logs may. */
const optionsOfTables: readonly string[] = ['time-format', 'start'];

function checkTextOptions(values: Readonly<Record<string, unknown>>, isLog: boolean): void {
  for (const name of Object.keys(textOptions)) {
    if (values[name] === undefined || (isLog ? name === 'start' : optionsOfTables.includes(name))) continue;
    const what = optionsOfTables.includes(name) ? 'tables' : 'text files';
    throw new UsageError(`--${name} has a meaning for ${what} only`);
  }
}

/** What the command line says of the messages of an MCAP file. */
function messageOptions(kind: FileKind, time: string | undefined, skip: readonly string[]): LogOptions {
  if (kind !== 'mcap' && time !== undefined)
    throw new UsageError('--message-time has a meaning for MCAP files only');
  if (logKinds.includes(kind) && kind !== 'mcap' && skip.length > 0)
    throw new UsageError('--skip has a meaning for tables and MCAP files only');
  const known = messageTimes.find((one) => one === time);
  if (time !== undefined && known === undefined)
    throw new UsageError(`--message-time is one of ${messageTimes.join(', ')}; '${time}' is none`);
  return { time: known, skip };
}

/** A log says itself what its columns are, and nothing of where it goes. */
function checkLogOptions(values: Readonly<Record<string, unknown>>): void {
  for (const name of ['topic', 'stream']) {
    if (values[name] === undefined) throw new UsageError(`to which ${name}? --${name} NAME`);
  }
  for (const name of ['timestamp', 'tags', 'binaries', 'texts']) {
    if (values[name] !== undefined) throw new UsageError(`--${name} has no meaning for a logger's file`);
  }
}
