import type { Msg, NatsConnection } from '@nats-io/transport-node';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';
import { type Closable, hear } from './hear.ts';

/**
 * A backup on its way from one node to another over NATS. Who takes it asks the run of a node for one, gets the subject of it, and asks
 * there for one chunk after the other, a few at a time. An answer is u8 kind (`chunk`, `end`, `failed`) and bytes.
 */
const kinds = { chunk: 0, end: 1, failed: 2 } as const;
const chunkBytes = 512 << 10;
const asksAhead = 8;
const patienceMs = 15_000;

const subjectOf = (cluster: string, run: string): string => `pitwall.replicas.${cluster}.backup.${run}`;

/** Gives backups of this node to others that ask, one at a time. */
export function giveBackups(
  connection: NatsConnection,
  { cluster, run }: { readonly cluster: string; readonly run: string },
  { backup }: Pick<Store, 'backup'>,
  log: Pick<Log, 'info' | 'warn'>,
): Closable {
  const own = subjectOf(cluster, run);
  let count = 0;
  let given: AbortController | undefined;
  const hearing = hear(connection, own, (message) => {
    if (given !== undefined) {
      message.respond(answer(kinds.failed, 'another node takes a backup of it now'));
      return;
    }
    const ending = new AbortController();
    given = ending;
    const subject = `${own}.${++count}`;
    const asks = asksOf(connection, subject, ending);
    message.respond(answer(kinds.chunk, subject));
    give(asks, backup, ending.signal)
      .then(
        (bytes) => log.info({ bytes }, 'another node took a backup of this one'),
        (failure: unknown) =>
          log.warn({ error: (failure as Error).message }, 'a backup for another node broke off'),
      )
      .finally(() => {
        asks.close();
        given = undefined;
      });
  });
  return {
    close() {
      given?.abort(new Error('this node stops'));
      hearing.close();
    },
  };
}

/** The asks for chunks, in their order. */
interface Asks extends Closable {
  /** Rejects with the reason of the signal, also where nobody has asked for too long. */
  next(): Promise<Msg>;
}

function asksOf(connection: NatsConnection, subject: string, ending: AbortController): Asks {
  const asked: Msg[] = [];
  let wake = (): void => undefined;
  const hearing = hear(connection, subject, (message) => {
    asked.push(message);
    wake();
  });
  return {
    ...hearing,
    async next() {
      for (;;) {
        const message = asked.shift();
        if (message !== undefined) return message;
        ending.signal.throwIfAborted();
        const silence = setTimeout(
          () => ending.abort(new Error('who took it has not asked for more')),
          patienceMs,
        );
        await new Promise<void>((resolve) => {
          wake = resolve;
          ending.signal.addEventListener('abort', () => resolve(), { once: true });
        });
        clearTimeout(silence);
      }
    },
  };
}

/** Answers asks until all is given; resolves with how many bytes that were. */
async function give(asks: Asks, backup: Store['backup'], signal: AbortSignal): Promise<number> {
  let bytes = 0;
  try {
    const { chunks } = await backup(signal);
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; at += chunkBytes) {
        const part = chunk.subarray(at, at + chunkBytes);
        (await asks.next()).respond(answer(kinds.chunk, part));
        bytes += part.length;
      }
    }
  } catch (error) {
    if (!signal.aborted) (await asks.next()).respond(answer(kinds.failed, (error as Error).message));
    throw error;
  }
  (await asks.next()).respond(answer(kinds.end, ''));
  return bytes;
}

/** The bytes of a backup of another node. Throws where it breaks off. */
export async function* takeBackup(
  connection: NatsConnection,
  cluster: string,
  run: string,
): AsyncGenerator<Uint8Array> {
  const ask = async (subject: string): Promise<Uint8Array> =>
    (await connection.request(subject, '', { timeout: patienceMs })).data;
  const subject = Buffer.from(chunkOf(await ask(subjectOf(cluster, run)))!).toString();
  const asked: Promise<Uint8Array>[] = [];
  for (;;) {
    while (asked.length < asksAhead) {
      const coming = ask(subject);
      coming.catch(() => undefined);
      asked.push(coming);
    }
    const chunk = chunkOf(await asked.shift()!);
    if (chunk === undefined) return;
    yield chunk;
  }
}

function answer(kind: number, content: string | Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([kind]), Buffer.from(content as Uint8Array)]);
}

/** What an answer holds; undefined at the end. */
function chunkOf(given: Uint8Array): Uint8Array | undefined {
  const content = given.subarray(1);
  if (given[0] === kinds.failed) throw new Error(`the other node: ${Buffer.from(content).toString()}`);
  return given[0] === kinds.end ? undefined : content;
}
