import { after } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  HttpTransportType,
  type HubConnection,
  HubConnectionBuilder,
  HubConnectionState,
  LogLevel,
} from '@microsoft/signalr';
import { adminToken, send } from './service.ts';

const transports = {
  WebSockets: HttpTransportType.WebSockets,
  ServerSentEvents: HttpTransportType.ServerSentEvents,
  LongPolling: HttpTransportType.LongPolling,
} as const;
export type TransportName = keyof typeof transports;
export const transportNames = Object.keys(transports) as TransportName[];

/** A client that comes back by itself for as long as it lives; it ends with the tests of the file. */
export function hubClient(url: string, transport: TransportName): HubConnection {
  const connection = new HubConnectionBuilder()
    .withUrl(`${url}/hub?int64=string`, {
      accessTokenFactory: () => adminToken,
      transport: transports[transport],
    })
    .withAutomaticReconnect({ nextRetryDelayInMilliseconds: () => 200 })
    .configureLogging(LogLevel.None)
    .build();
  after(() => connection.stop());
  return connection;
}

/** Writes one row after another, each again until it is acknowledged: row n of a writer is n at n ns. */
export interface RowWriter {
  readonly stream: string;
  /** Rows that are acknowledged: 0 to this, without it. */
  readonly acknowledged: number;
  /** Attempts that were not acknowledged. */
  readonly failures: readonly string[];
  /** Ends when the row under way is acknowledged. */
  stop(): Promise<void>;
}

function rowWriter(stream: string, write: (n: number) => Promise<void>): RowWriter {
  const failures: string[] = [];
  let acknowledged = 0;
  let isStopping = false;
  let isOver = false;
  // After a failed test nobody stops it.
  after(() => {
    isOver = true;
  });
  const run = async (): Promise<void> => {
    for (let isUnderWay = false; !isOver && (!isStopping || isUnderWay); ) {
      try {
        isUnderWay = true;
        await write(acknowledged);
        isUnderWay = false;
        acknowledged++;
      } catch (error) {
        failures.push((error as Error).message);
        await pause(50);
        continue;
      }
      await pause(15);
    }
  };
  const running = run();
  return {
    stream,
    get acknowledged() {
      return acknowledged;
    },
    failures,
    stop() {
      isStopping = true;
      return running;
    },
  };
}

export function httpWriter(url: string, topic: string, stream: string): RowWriter {
  return rowWriter(stream, async (n) => {
    const reply = await send(url, `/topics/${topic}/streams/${stream}/parameters/data`, {
      body: JSON.stringify({ timestamps: [n], numericValues: { Speed: [n] } }),
    });
    if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`);
  });
}

export async function hubWriter(
  url: string,
  transport: TransportName,
  topic: string,
  stream: string,
): Promise<RowWriter> {
  const connection = hubClient(url, transport);
  await connection.start();
  const writer = rowWriter(stream, (n) =>
    connection.invoke('SendParameterData', topic, stream, {
      timestamps: [n],
      numericValues: { Speed: [n] },
    }),
  );
  return {
    ...writer,
    get acknowledged() {
      return writer.acknowledged;
    },
    async stop() {
      await writer.stop();
      await connection.stop();
    },
  };
}

/** Reads everything of a topic live, and subscribes anew whenever it comes back. */
export interface LiveReader {
  readonly name: string;
  /** The largest row of each stream that has come. */
  readonly latest: ReadonlyMap<string, number>;
  /** How often it came back. */
  readonly returns: number;
  /** It ended and would not come back. */
  readonly isOver: boolean;
  stop(): Promise<void>;
}

export async function liveReader(url: string, transport: TransportName, topic: string): Promise<LiveReader> {
  const connection = hubClient(url, transport);
  const latest = new Map<string, number>();
  let returns = 0;
  let isOver = false;
  connection.on(
    'ParameterDataReceived',
    ({ streamId, timestamps }: { streamId: string; timestamps: string[] }) => {
      for (const n of timestamps) latest.set(streamId, Math.max(latest.get(streamId) ?? -1, Number(n)));
    },
  );
  const subscribe = () => connection.invoke('SubscribeToParameter', topic, '*', '*');
  connection.onreconnected(() => {
    returns++;
    // Where the connection is lost meanwhile, it is subscribed at the next return.
    subscribe().catch(() => undefined);
  });
  connection.onclose(() => {
    isOver = true;
  });
  await connection.start();
  await subscribe();
  return {
    name: transport,
    latest,
    get returns() {
      return returns;
    },
    get isOver() {
      return isOver;
    },
    async stop() {
      if (connection.state !== HubConnectionState.Disconnected) await connection.stop();
    },
  };
}

/** The rows of every stream of a topic as a node reads them; each must be there once and in its place. */
export async function rowsOf(url: string, topic: string): Promise<Map<string, number[]>> {
  const reply = await send(url, '/parameters/data', {
    body: JSON.stringify({
      topic,
      groupBy: ['streamId'],
      numericParameters: [{ parameterName: 'Speed' }],
    }),
  });
  if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`);
  const { timestamps, numericValues, tagValues } = reply.json<{
    timestamps: number[];
    numericValues: { Speed: number[] };
    tagValues: { streamId: string[] };
  }>();
  const rows = new Map<string, number[]>();
  for (const [i, streamId] of tagValues.streamId.entries()) {
    if (numericValues.Speed[i] !== timestamps[i])
      throw new Error(`row ${timestamps[i]} of ${streamId} differs`);
    rows.set(streamId, [...(rows.get(streamId) ?? []), timestamps[i]!]);
  }
  return rows;
}
