import { HttpTransportType, HubConnectionBuilder, LogLevel } from '@microsoft/signalr';
import { type Payload, payloads } from './data.ts';
import { load } from './driver.ts';
import { percentiles } from './figures.ts';
import { invocation, openHubSocket } from './hub-socket.ts';
import { bodyOf, token } from './pitwall.ts';
import type { System } from './system.ts';

/** Requests a second, and the time of each in ms. */
export type Written = { readonly rate: number; readonly p50: number; readonly p99: number };

/** The payloads of a round: the next rows of 100 streams, so that no round repeats another. */
export function roundOf(rows: number, count: number, round: number): Payload[] {
  const streams = Math.min(100, count);
  const payloadsPerStream = Math.ceil(count / streams);
  const all = payloads({
    shape: 'decimals',
    streams,
    payloadsPerStream,
    rowsPerPayload: rows,
    parameters: 10,
  });
  const shift = round * payloadsPerStream * rows * 1000;
  return Array.from(all, (payload) => ({ ...payload, startMs: payload.startMs + shift })).slice(0, count);
}

/** `inFlight` requests are under way at one time, each on a connection of its own. */
export async function httpWrites(
  system: System,
  rows: number,
  count: number,
  round: number,
  inFlight: number,
): Promise<Written> {
  const requests = roundOf(rows, count, round).map((payload) => system.writeRequest(payload));
  const { seconds, latencies } = await load(system.port, requests, inFlight);
  return { rate: requests.length / seconds, ...percentiles(latencies) };
}

/** The same payloads over one WebSocket, to a topic of their own. */
export async function hubWrites(
  system: System,
  rows: number,
  count: number,
  round: number,
  inFlight: number,
): Promise<Written> {
  const frames = roundOf(rows, count, round).map((payload, id) =>
    invocation(id, 'SendParameterData', ['"bench-hub"', `"${payload.stream}"`, bodyOf(payload)]),
  );
  const sent = new Float64Array(count);
  const latencies = new Float64Array(count);
  let next = 0;
  let answered = 0;
  let start = 0;
  let close = (): void => {};
  const end = await new Promise<number>((resolve, reject) => {
    const opening = openHubSocket(system.port, token, {
      onError: reject,
      onCompletion(id) {
        const time = performance.now();
        latencies[id] = time - sent[id]!;
        if (++answered === count) resolve(time);
        else sendNext();
      },
    });
    let sendNext = (): void => {};
    opening.then((socket) => {
      close = socket.close;
      sendNext = () => {
        if (next === count) return;
        sent[next] = performance.now();
        socket.send(frames[next++]!);
      };
      start = performance.now();
      for (let i = 0; i < inFlight; i++) sendNext();
    }, reject);
  });
  close();
  return { rate: (count * 1000) / (end - start), ...percentiles(latencies) };
}

/** What an application gets: here the client, not the hub, is the limit. */
export async function officialWrites(
  system: System,
  rows: number,
  count: number,
  round: number,
  inFlight: number,
): Promise<Written> {
  const connection = new HubConnectionBuilder()
    .withUrl(`http://127.0.0.1:${system.port}/hub`, {
      transport: HttpTransportType.WebSockets,
      accessTokenFactory: () => token,
    })
    .configureLogging(LogLevel.None)
    .build();
  await connection.start();
  const all = roundOf(rows, count, round).map(({ stream, startMs, values }) => ({
    stream,
    data: {
      timestamps: Array.from({ length: rows }, (_, row) => `${startMs + row * 1000}000000`),
      numericValues: Object.fromEntries(values.map((column, i) => [`p${i}`, [...column]])),
    },
  }));
  const latencies = new Float64Array(all.length);
  let next = 0;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (let id = next++; id < all.length; id = next++) {
        const { stream, data } = all[id]!;
        const sent = performance.now();
        await connection.invoke('SendParameterData', 'bench-official', stream, data);
        latencies[id] = performance.now() - sent;
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  await connection.stop();
  return { rate: all.length / seconds, ...percentiles(latencies) };
}
