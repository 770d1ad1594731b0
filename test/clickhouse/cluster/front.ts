// What a node speaks to. It passes everything on to ClickHouse's own HTTP, and what is said ON CLUSTER to all servers:
// the library does not run what others say.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterServer } from './cluster-server.ts';

const onCluster = / ON CLUSTER `[^`]+`/;
/** Of replicated tables one server of a shard changes the rows, and its other replicas follow. */
const changesRows = /^(?:ALTER TABLE \w+_local (?!MODIFY SETTING)|DELETE FROM |OPTIMIZE )/;
/** As long as a statement with ON CLUSTER waits for servers that live. */
const patienceMs = 5000;

/** Of statements ON CLUSTER that nodes say to a server. */
export interface OnCluster {
  readonly said: string[];
  /** A DELETE is answered at once and runs somewhat later, as on a server that has much to do. */
  deletesAreLate: boolean;
}

const lateMs = 500;

/** Listens until it is closed. */
export async function startFront(
  own: ClusterServer,
  servers: readonly ClusterServer[],
  onServer: OnCluster,
): Promise<Server> {
  const front = createServer((asked, response) => {
    answer(asked, response).catch((error: Error) => {
      if (!response.headersSent && error.message.startsWith('Code: '))
        response.writeHead(500).end(error.message);
      else response.destroy();
    });
  });

  async function answer(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const isStatement = asked.method === 'POST' && !/[?&]query=/.test(asked.url!);
    if (!isStatement) return pass(own, asked, response);
    const text = (await buffer(asked)).toString();
    if (!onCluster.test(text)) return pass(own, asked, response, text);
    onServer.said.push(text);
    const plain = text.replace(onCluster, '');
    if (onServer.deletesAreLate && text.startsWith('DELETE')) {
      setTimeout(() => void firstThatAnswers([own], asked, plain), lateMs);
      response.end();
      return;
    }
    const others = servers.filter((server) =>
      changesRows.test(text) ? server.shard !== own.shard : server !== own,
    );
    const asking = changesRows.test(text) ? firstOfEach(others) : others.map((server) => [server]);
    const ran = Promise.all(asking.map((choice) => say(choice, asked, plain)));
    for (const said of await Promise.race([ran, pause(patienceMs, [], { ref: false })])) {
      if (said !== undefined) {
        // All run it, whatever others say.
        await firstThatAnswers([own], asked, plain);
        throw new Error(said);
      }
    }
    await pass(own, asked, response, plain);
  }

  front.listen(own.front, '127.0.0.1');
  await once(front, 'listening');
  return front;
}

/** The servers of each shard. */
function firstOfEach(servers: readonly ClusterServer[]): ClusterServer[][] {
  const shards = new Map<number, ClusterServer[]>();
  for (const server of servers) shards.set(server.shard, [...(shards.get(server.shard) ?? []), server]);
  return [...shards.values()];
}

/** Asks ClickHouse what was asked here, with another text if one is given, and gives its answer back. */
async function pass(
  { http }: ClusterServer,
  asked: IncomingMessage,
  response: ServerResponse,
  text?: string,
): Promise<void> {
  const { 'content-length': _length, 'transfer-encoding': _encoding, ...rest } = asked.headers;
  const headers = text === undefined ? asked.headers : rest;
  const there = request({ host: '127.0.0.1', port: http, path: asked.url, method: asked.method, headers });
  response.on('close', () => there.destroy());
  const answered = once(there, 'response');
  answered.catch(() => undefined);
  if (text === undefined) await pipeline(asked, there);
  else there.end(text);
  const [answer] = (await answered) as [IncomingMessage];
  response.writeHead(answer.statusCode!, answer.headers);
  await pipeline(answer, response);
}

/** What the first of these that lives says against it. Undefined when it ran it, and where all are away: then the first that is back runs it. */
async function say(
  choice: readonly ClusterServer[],
  asked: IncomingMessage,
  text: string,
): Promise<string | undefined> {
  const tell = () => firstThatAnswers(choice, asked, text);
  try {
    return await tell();
  } catch {
    void untilAnswered(tell);
    return undefined;
  }
}

async function firstThatAnswers(
  choice: readonly ClusterServer[],
  asked: IncomingMessage,
  text: string,
): Promise<string | undefined> {
  for (const [i, { http }] of choice.entries()) {
    try {
      const url = new URL(asked.url!, `http://127.0.0.1:${http}`);
      if (text.startsWith('CREATE DATABASE')) url.searchParams.delete('database');
      const { authorization = '' } = asked.headers;
      const response = await fetch(url, { method: 'POST', headers: { authorization }, body: text });
      const said = await response.text();
      return response.ok ? undefined : said;
    } catch (error) {
      if (i + 1 === choice.length) throw error;
    }
  }
  return undefined;
}

async function untilAnswered(tell: () => Promise<unknown>): Promise<void> {
  let isAnswered = false;
  while (!isAnswered) {
    await pause(200, undefined, { ref: false });
    isAnswered = await tell().then(
      () => true,
      () => false,
    );
  }
}
