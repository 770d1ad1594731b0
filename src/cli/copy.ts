import { realpathSync } from 'node:fs';
import { RequestError } from '../client/request-error.ts';
import { placeOf, serviceOf } from './client.ts';
import { type Command, CommandError, interruption, readArguments, UsageError } from './command.ts';
import type { CopyResult } from './copy/copy-all.ts';
import { plainLines } from './plain-lines.ts';
import { createProgress } from './progress.ts';
import { print } from './standard-output.ts';

const defaultNotes = 'pitwall-copy.notes';

export const copyCommand: Command = {
  name: 'copy',
  summary: 'copy everything of one Pitwall to another one that runs',
  help: () => `pitwall copy --from DIR|URL --to URL [--notes FILE]

Copies all workspaces: rows and events with their exact times, properties and states of streams, definitions, calculated
parameters, retention and limits, tokens, views, shares and alert rules. The source is another service, on whatever
store, or the data folder of one that is stopped; writers may go on writing to it. What the target has besides stays.

It can be ended and run again: what FILE notes as copied is left out, unless it was changed since. A run takes over what the
source had acknowledged before it began. So let the last one begin when nothing is written to the source any more.

  --from DIR|URL       the source: a data folder that no process uses, or an address such as http://127.0.0.1:8480
  --to URL             the target, a service that runs
  --from-token TOKEN   of the source, where that is a service (or PITWALL_FROM_TOKEN, else PITWALL_TOKEN)
  --to-token TOKEN     of the target (or PITWALL_TO_TOKEN, else PITWALL_TOKEN)
  --notes FILE         where it notes what is copied (default ./${defaultNotes})

Both tokens are admin tokens of the default workspace. A token that a service was given as PITWALL_TOKEN is no part of
its data: give the target the same one. Streams in the bin are not copied.`,

  async run(argv) {
    const text = { type: 'string' } as const;
    const { values, positionals } = readArguments(argv, {
      from: text,
      to: text,
      'from-token': text,
      'to-token': text,
      notes: text,
    });
    if (positionals.length > 0) throw new UsageError(`there is a word too many: '${positionals[0]}'`);
    const { from, to, notes = defaultNotes } = values;
    if (!from) throw new UsageError('from where? --from DIR or --from URL');
    if (!to) throw new UsageError('to where? --to URL');
    if (notes === '') throw new UsageError('--notes needs a name');
    const target = endOf('to', to, values['to-token']);
    if (/^https?:\/\//.test(from)) {
      const source = endOf('from', from, values['from-token']);
      return await copy(source, target, notes);
    }
    if (values['from-token'] !== undefined)
      throw new UsageError('--from-token has a meaning for the address of a service only');
    const { openFolder } = await import('./copy/open-folder.ts');
    const service = await openFolder(from);
    try {
      return await copy({ ...service, place: realpathSync(from) }, target, notes);
    } finally {
      await service.stop();
    }
  },
};

interface End {
  readonly url: URL;
  readonly token: string;
  readonly place: string;
}

function endOf(side: 'from' | 'to', address: string, given: string | undefined): End {
  const variable = `PITWALL_${side.toUpperCase()}_TOKEN`;
  const token = given ?? (process.env[variable] || process.env['PITWALL_TOKEN']);
  if (!token)
    throw new UsageError(`an access token is needed: --${side}-token TOKEN or the variable ${variable}`);
  const { url } = serviceOf({ url: address, token }, {});
  return { url, token, place: placeOf(url) };
}

async function copy(from: End, to: End, notesFile: string): Promise<number> {
  const [{ copyAll }, { CopyNotes }, { CopyService }] = await Promise.all([
    import('./copy/copy-all.ts'),
    import('./copy/notes.ts'),
    import('./copy/service.ts'),
  ]);
  const signal = interruption();
  const source = new CopyService(`the source ${from.place}`, from.url, from.token, signal);
  const target = new CopyService(`the target ${to.place}`, to.url, to.token, signal);
  const progress = createProgress(process.stderr);
  let notes: InstanceType<typeof CopyNotes> | undefined;
  try {
    await source.check();
    await target.check();
    if (await source.isSame(target)) throw new UsageError('the source and the target are the same service');
    notes = new CopyNotes(notesFile, from.place, to.place);
    const result = await copyAll({ source, target, notes, progress, signal });
    progress.end();
    await print(plainLines(told(result)));
    return result.failures.length === 0 ? 0 : 1;
  } catch (error) {
    progress.end();
    if (signal.aborted) throw new CommandError('interrupted; the same command goes on from here');
    if (!(error instanceof RequestError)) throw error;
    throw new CommandError(`${error.message}; the same command goes on from here`, error.code);
  } finally {
    notes?.close();
    await source.close();
    await target.close();
  }
}

function told(result: CopyResult): string {
  const { workspaces, copied, unchanged, rows, events, expired, rules, binned, gone, failures } = result;
  const lines = [
    `copied ${copied} streams (${unchanged} more had not changed) of ${workspaces} workspaces, ${rows} rows, ${events} events, ${rules} alert rules`,
  ];
  if (expired > 0)
    lines.push(
      `${expired} of them are older than the retention of their topic in the target, and were not kept`,
    );
  if (gone > 0) lines.push(`${gone} streams are gone from the source: they are in the bin of the target now`);
  if (binned > 0) lines.push(`${binned} streams are in the bin of the source, and were not copied`);
  if (failures.length > 0) lines.push(`${failures.length} streams could not be copied:`, ...failures);
  return lines.join('\n');
}
