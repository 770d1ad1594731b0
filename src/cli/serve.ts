import { isatty } from 'node:tty';
import { ConfigError, describeSettings, loadConfig } from '../config.ts';
import { freeArraysAtRest } from '../free-arrays.ts';
import { createLog, type Log } from '../log.ts';
import type { Service } from '../main.ts';
import type { FirstToken } from '../start/first-token.ts';
import { type Command, CommandError } from './command.ts';
import { firstSteps } from './first-steps.ts';
import { print, printOnce } from './standard-output.ts';

export const serveCommand: Command = {
  name: 'serve',
  summary: 'run the service (the default command)',
  help: () => `pitwall serve [SETTINGS]

Settings come from flags, then from the environment (--data-dir is PITWALL_DATA_DIR), then from the JSON file of
--config (where it is dataDir). Bytes may be given as 64KiB, 32MiB, 1GiB; times as 500ms, 60s, 5m, 1h, 1d.

${describeSettings()}`,

  async run(argv) {
    const config = loadConfig({ argv, env: process.env });
    const log = createLog(config.logLevel);
    const asked = signalled();
    const stopping = new AbortController();
    asked.then((signal) => stopping.abort(new Error(signal)));
    // Loaded here, so that commands which only talk to a service start without it.
    const { startService } = await import('../main.ts');
    const start = async (): Promise<Service> => {
      try {
        return await startService(config, log, stopping.signal);
      } catch (error) {
        if (error === stopping.signal.reason) {
          log.info({ signal: await asked }, 'stopped while it waited');
          // An attempt to connect may be under way for minutes, and nothing is open that has to be closed.
          process.exit(0);
        }
        if (error instanceof ConfigError) throw error;
        log.debug({ err: error }, 'the start failed');
        throw new CommandError(`cannot start: ${(error as Error).message}`);
      }
    };
    let service = await start();
    // A service that someone runs in a terminal ends with the terminal, as is usual.
    if (config.tlsCert !== undefined || !isatty(0)) process.on('SIGHUP', () => service.reloadTls());
    freeArraysAtRest();
    for (;;) {
      await announce(service, log);
      const signal = await Promise.race([asked, service.outdated]);
      log.info({ signal }, signal === undefined ? 'starting again with the log of the replicas' : 'stopping');
      await service.stop();
      if (signal !== undefined) return 0;
      service = await start();
    }
  },
};

/** Resolves with the first signal that asks for a stop; the second ends the process at once, which loses nothing. */
function signalled(): Promise<string> {
  return new Promise((resolve) => {
    const onSignal = (signal: string): void => {
      process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
      resolve(signal);
    };
    process.once('SIGTERM', onSignal).once('SIGINT', onSignal);
  });
}

/** Everything for the operator goes to standard output; the line `pitwall listening on …` comes when it is ready. */
async function announce(service: Service, log: Log): Promise<void> {
  const { addresses, firstToken } = service;
  const lines = addresses.map(({ interface: name, url }) => {
    return name === 'all' ? `pitwall listening on ${url}` : `pitwall ${name} listening on ${url}`;
  });
  if (firstToken !== undefined) lines.push(`admin token, shown this once: ${firstToken.token}`);
  // One write, so that who waits for the first line has all of them.
  const text = [...lines, firstSteps(addresses[0]!.url, firstToken?.token, Date.now())].join('\n');
  if (firstToken === undefined) await print(text).catch(({ message }: Error) => log.warn({}, message));
  else await printOnce(text).catch((error: Error) => endUnseen(service, firstToken, error));
}

/** A service that nobody can sign in to is of no use. Throws a CommandError. */
async function endUnseen(service: Service, { id, takeBack }: FirstToken, { message }: Error): Promise<never> {
  const next = await takeBack().then(
    () => 'it was taken back, and the next start makes another',
    () => `set PITWALL_TOKEN to a token of your own, start again, and pitwall token revoke ${id}`,
  );
  await service.stop();
  throw new CommandError(`cannot start: the admin token could not be shown: ${message}; ${next}`);
}
