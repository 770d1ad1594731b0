import { randomUUID } from 'node:crypto';
import { Agent, createServer, type IncomingHttpHeaders, request as open } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseServer } from './clickhouse-server.ts';
import { openConnection, request } from './driver.ts';
import { serve } from './pitwall.ts';
import { stopProcess } from './system.ts';

/** Stands between a node and ClickHouse and keeps what the node asks there. */
export interface Recorder {
  readonly port: number;
  /** Takes what a node asks by itself, again and again, as not worth recording. */
  learn(): Promise<void>;
  /** The statements that were asked meanwhile, in order. */
  during(work: () => Promise<unknown>): Promise<RecordedStatement[]>;
  close(): void;
}

/** A statement just as a node sent it: its text, its bound parameters and its settings. */
export interface RecordedStatement {
  readonly text: string;
  /** The request, with an id that no statement had before. */
  request(): Buffer;
}

/** Longer than the time between two rounds of what a node asks by itself. */
const learningMs = 2500;

export async function startRecorder(serverPort: number): Promise<Recorder> {
  let recorded: RecordedStatement[] = [];
  const own = new Set<string>();
  const agent = new Agent({ keepAlive: true });
  const proxy = createServer(async (incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const body = await buffer(incoming);
    recorded.push(recordedStatement(url!, headers, body));
    const forwarded = open({ port: serverPort, method, path: url, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    forwarded.end(body);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    port: (proxy.address() as AddressInfo).port,
    async learn() {
      recorded = [];
      await sleep(learningMs);
      for (const { text } of recorded) own.add(text);
    },
    async during(work) {
      recorded = [];
      await work();
      return recorded.filter(({ text }) => !own.has(text));
    },
    close() {
      proxy.close();
      proxy.closeAllConnections();
      agent.destroy();
    },
  };
}

function recordedStatement(url: string, headers: IncomingHttpHeaders, body: Buffer): RecordedStatement {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!ofConnections.has(name)) kept[name] = String(value);
  }
  const bytes = request('POST', url, kept, body);
  const id = /[?&]query_id=([0-9a-f-]{36})/.exec(url)![1]!;
  const at = bytes.indexOf(id);
  return {
    text: textOf(url, headers, body),
    request() {
      bytes.write(randomUUID(), at, 'latin1');
      return bytes;
    },
  };
}

/** The client sends a statement as the body, or as a field of a form where its parameters are long. */
function textOf(url: string, headers: IncomingHttpHeaders, body: Buffer): string {
  if (headers['content-type']?.startsWith('multipart/') === true) {
    return /name="query"\r\n(?:.*\r\n)*?\r\n([\s\S]*?)\r\n--/.exec(body.toString())![1]!;
  }
  return body.length > 0 ? body.toString() : (new URL(url, 'http://server').searchParams.get('query') ?? '');
}

const ofConnections: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
]);

/** A node of its own for this, whose way to ClickHouse is longer; none is measured that way. */
export async function withRecorder<Result>(
  server: ClickHouseServer,
  database: string,
  use: (recorder: Recorder, node: Awaited<ReturnType<typeof openConnection>>) => Promise<Result>,
): Promise<Result> {
  const recorder = await startRecorder(server.port);
  const url = server.urlOf(database).replace(`:${server.port}/`, `:${recorder.port}/`);
  const { child, port } = await serve(['--store', url]);
  try {
    const node = await openConnection(port);
    await recorder.learn();
    const result = await use(recorder, node);
    node.close();
    return result;
  } finally {
    await stopProcess(child);
    recorder.close();
  }
}
