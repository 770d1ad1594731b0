import {
  createClient,
  type ReplayOptions,
  type ReplayProgress,
  type ReplayResult,
  RequestError,
} from '../client/client.ts';
import { unreachable } from './answer-errors.ts';
import { clientHelp, clientOptions, placeOf, serviceOf } from './client.ts';
import { type Command, CommandError, interruption, readArguments, UsageError } from './command.ts';
import { createHttpRequests } from './http-requests.ts';
import { plainFetch } from './plain-fetch.ts';
import { createProgress } from './progress.ts';
import { print } from './standard-output.ts';
import { timeOption } from './time.ts';
import { refusalText, Waits } from './waits.ts';

export const replayCommand: Command = {
  name: 'replay',
  summary: 'write a stream to another one as if it were live',
  help: () => `pitwall replay --topic NAME --stream ID --to-topic NAME [--to-stream ID] [--speed NUMBER]
               [--from TIME] [--to TIME] [--times original|now] [--loop]

Reads rows and events of a stream and writes them to another one at the pace of their times, so that all who follow
that one see them live. Properties and definitions are written too. A stream that is still being written is followed
until it is closed or interrupted. Then the target is closed as the source was. Ctrl+C ends it before, and the target
is closed as Aborted; a second Ctrl+C ends the command at once.

  --topic NAME       the topic of the source
  --stream ID        the source
  --to-topic NAME    the topic to write to
  --to-stream ID     the stream to write to (default: the id of the source)
  --speed NUMBER     how many seconds of data a second has (default 1), from 0.001 to 1000000
  --from TIME, --to TIME
                     both inclusive: nanoseconds since the Unix epoch, or 2024-05-31T12:30:00.000000001Z
  --times original   rows and events keep their times: the target gets equal ones (the default)
  --times now        they get the times at which they are due
  --loop             begins anew at the end, until Ctrl+C
${clientHelp}`,

  async run(argv) {
    const { values, positionals } = readArguments(argv, {
      ...clientOptions,
      topic: { type: 'string' },
      stream: { type: 'string' },
      'to-topic': { type: 'string' },
      'to-stream': { type: 'string' },
      speed: { type: 'string' },
      from: { type: 'string' },
      to: { type: 'string' },
      times: { type: 'string' },
      loop: { type: 'boolean' },
    });
    if (positionals.length > 0) throw new UsageError(`there is a word too many: '${positionals[0]}'`);
    const given = (name: 'topic' | 'stream' | 'to-topic'): string => {
      const value = values[name];
      if (value === undefined || value === '') throw new UsageError(`which? --${name} is needed`);
      return value;
    };
    if (values['to-stream'] === '') throw new UsageError('--to-stream needs an id');
    const from = timeOption('--from', values.from);
    const to = timeOption('--to', values.to);
    if (from !== undefined && to !== undefined && from > to) throw new UsageError('--from is after --to');
    const options: ReplayOptions = {
      topic: given('topic'),
      streamId: given('stream'),
      toTopic: given('to-topic'),
      toStreamId: values['to-stream'] ?? given('stream'),
      speed: speedOf(values.speed),
      times: timesOf(values.times),
      loop: values.loop === true,
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    };
    const { url, token } = serviceOf(values, process.env);
    // The service may be away for a while: what is late by then is written as fast as it goes.
    const requests = createHttpRequests(url);
    const waits = new Waits();
    const place = placeOf(url);
    const service = { url: url.href, token, fetch: plainFetch(requests) };
    const telling = tellProgress();
    let ending: AbortSignal | undefined;
    let result: ReplayResult;
    try {
      // A service that never was there is told at once.
      const { topic, streamId } = options;
      const hasty = createClient({ ...service, retry: { attempts: 1 } });
      await hasty.streams({ topic, streamIds: [streamId] });
      ending = interruption();
      const client = createClient({
        ...service,
        retry: { attempts: 100, longestDelayMs: 2000 },
        ending,
        onRepeat: (error) => waits.forError(place, error),
      });
      result = await client.replay({ ...options, signal: ending, onProgress: telling.tell });
    } catch (error) {
      const { message, code } = explained(error, place);
      const interrupted = ending?.aborted ? 'interrupted: ' : '';
      throw error instanceof TypeError && error.cause === undefined
        ? new UsageError(message)
        : new CommandError(`${interrupted}${message}${telling.written(options)}`, code);
    } finally {
      telling.end();
      requests.close();
    }
    await print(describe(result, options));
    return 0;
  },
};

function speedOf(text = '1'): number {
  const speed = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (speed >= 0.001 && speed <= 1_000_000) return speed;
  throw new UsageError(`--speed is a number from 0.001 to 1000000, not '${text}'`);
}

function timesOf(text = 'original'): 'original' | 'now' {
  if (text === 'original' || text === 'now') return text;
  throw new UsageError(`--times is original or now, not '${text}'`);
}

const tellEveryMs = 250;

/** A line on a terminal, several times a second: position, rate, how far behind. */
function tellProgress(): {
  tell(progress: ReplayProgress): void;
  /** What is in, where the replay cannot say it; nothing where it had not begun. */
  written(options: ReplayOptions): string;
  end(): void;
} {
  let last: ReplayProgress | undefined;
  const progress = createProgress(process.stderr);
  let toldMs = Number.NEGATIVE_INFINITY;
  let toldRows = 0;
  return {
    tell(told) {
      last = told;
      const { position, rows, events, behindMs, pass, pauseMs } = told;
      const at = isoTime(Number(position / 1_000_000n));
      const written = `${counted(rows, 'row')}, ${counted(events, 'event')}`;
      const passes = pass > 1 ? `, pass ${pass}` : '';
      if (pauseMs > 0) {
        const next = isoTime(Date.now() + pauseMs);
        progress.say(`${at}  ${written}, a pause: the next is due at ${next}${passes}`);
        return;
      }
      const nowMs = performance.now();
      if (nowMs - toldMs < tellEveryMs) return;
      const rate = Number.isFinite(toldMs) ? Math.round(((rows - toldRows) * 1000) / (nowMs - toldMs)) : 0;
      toldMs = nowMs;
      toldRows = rows;
      progress.soFar(rows + events, `${at}  ${written}, ${rate} rows/s, ${behind(behindMs)} behind${passes}`);
    },
    written({ toTopic, toStreamId = '' }) {
      if (last === undefined) return '';
      const written = `${counted(last.rows, 'row')} and ${counted(last.events, 'event')}`;
      return ` (${written} went to topic ${toTopic}, stream ${toStreamId}, which stays open)`;
    },
    end: progress.end,
  };
}

function isoTime(ms: number): string {
  const date = new Date(ms);
  // A slow replay may go on for longer than dates go.
  return Number.isNaN(date.getTime()) ? 'the end of time' : date.toISOString();
}

function behind(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function describe(result: ReplayResult, { toTopic, toStreamId = '', loop }: ReplayOptions): string {
  const { rows, events, passes, late, expired, endType } = result;
  const parts = [
    `${counted(rows, 'row')} and ${counted(events, 'event')} ${expired > 0 ? 'went to' : 'are in'} topic ${toTopic}, stream ${toStreamId}`,
  ];
  if (expired > 0)
    parts.push(`${expired} of them are older than the retention of the topic, and were not kept`);
  if (late > 0) parts.push(`${late} of them came late`);
  if (loop === true) parts.push(`${passes} whole passes`);
  parts.push(endType === 'Aborted' ? 'the stream is closed as Aborted' : 'the stream is closed');
  return parts.join('; ');
}

function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}

function explained(
  error: unknown,
  place: string,
): { readonly message: string; readonly code?: string | undefined } {
  if (error instanceof RequestError) return { message: refusalText(error), code: error.code };
  const { message, cause } = error as Error & { readonly cause?: unknown };
  return error instanceof TypeError && cause !== undefined ? unreachable(place, cause) : { message };
}
