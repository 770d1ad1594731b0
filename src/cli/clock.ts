import { clientHelp, clientOptions, createClient } from './client.ts';
import { type Command, readArguments, UsageError } from './command.ts';
import { objectOf } from './expected-answer.ts';
import { print } from './standard-output.ts';

interface Clock {
  readonly time: string;
  readonly believed: string;
  readonly heldBackSeconds: number;
  readonly believedInSeconds?: number;
}

const isClock = objectOf<Clock>({ time: 'string', believed: 'string' });

export const clockCommand: Command = {
  name: 'clock',
  summary: "tell whether a service believes its machine's clock, or confirm it",
  help: () => `pitwall clock
pitwall clock confirm

Rows expire by the clock of the machine that the service runs on. When that clock is more than a day ahead of the
time that the service knows to have passed, after a jump or a long stop, nothing expires by it until the clock has
stood for a day while the service runs. Look at the time that pitwall clock prints; if it is right, confirm ends the
waiting. If it is wrong, set the clock, and confirm nothing: confirmed, it takes away for good what expires by it.
Needs an admin token of the default workspace.

${clientHelp}`,

  async run(argv) {
    const { values, positionals } = readArguments(argv, clientOptions);
    const [action, ...rest] = positionals;
    if (rest.length > 0) throw new UsageError(`there is a word too many: '${rest[0]}'`);
    if (action !== undefined && action !== 'confirm') {
      throw new UsageError('pitwall clock, or pitwall clock confirm? See pitwall help clock');
    }
    const client = createClient(values, process.env);
    try {
      const method = action === undefined ? 'GET' : 'POST';
      await print(describeClock(await client.call(method, '/admin/clock', undefined, isClock)));
      return 0;
    } finally {
      client.close();
    }
  },
};

export function describeClock({ time, believed, believedInSeconds }: Clock): string {
  if (believedInSeconds === undefined) return `the clock says ${time}, and rows expire by it`;
  return [
    `the clock says ${time}, and jumped there: rows expire as if it were ${believed}`,
    `it is believed when it has stood for ${hours(believedInSeconds)} more, or now: pitwall clock confirm`,
  ].join('\n');
}

function hours(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
