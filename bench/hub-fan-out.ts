import { setTimeout as sleep } from 'node:timers/promises';
import { HttpTransportType, HubConnectionBuilder, LogLevel } from '@microsoft/signalr';
import { percentiles } from './figures.ts';
import { type HubSocket, invocation, openHubSocket } from './hub-socket.ts';
import { roundOf } from './hub-writes.ts';
import { bodyOf, token } from './pitwall.ts';
import type { System } from './system.ts';

/** Messages delivered a second, all readers together, and ms from the writer's answer to each arrival. */
export type Delivered = { readonly rate: number; readonly p50: number; readonly p99: number };

/** Packages that are written and have not reached every reader yet. */
const inFlight = 8;
const rows = 10;
export const topic = 'fan-out';

/** Tells when each package was answered and when it arrived; the next is written when all readers have one. */
function delivery(readers: number, packages: number, write: (id: number) => void) {
  const answered = new Float64Array(packages).fill(Number.NaN);
  const arrived = new Float64Array(packages * readers);
  const seen = new Uint32Array(readers);
  const missing = new Uint32Array(packages).fill(readers);
  let next = 0;
  let delivered = 0;
  let start = 0;
  let finish: (result: Delivered) => void = () => {};
  const done = new Promise<Delivered>((resolve) => {
    finish = resolve;
  });
  const writeNext = (): void => {
    if (next < packages) write(next++);
  };
  const checkEnd = (): void => {
    if (delivered < packages * readers || answered.some(Number.isNaN)) return;
    const seconds = (performance.now() - start) / 1000;
    const latencies = arrived.map((time, i) => Math.max(0, time - answered[Math.floor(i / readers)]!));
    finish({ rate: (packages * readers) / seconds, ...percentiles(latencies) });
  };
  return {
    done,
    begin() {
      start = performance.now();
      for (let i = 0; i < inFlight; i++) writeNext();
    },
    answered(id: number) {
      answered[id] = performance.now();
      if (delivered === packages * readers) checkEnd();
    },
    /** Packages of one writer come in its order. */
    arrived(reader: number) {
      const id = seen[reader]!++;
      arrived[id * readers + reader] = performance.now();
      delivered++;
      if (--missing[id]! === 0) writeNext();
      if (delivered === packages * readers) checkEnd();
    },
  };
}

function framesOf(packages: number): Buffer[] {
  return roundOf(rows, packages, 0).map((payload, id) =>
    invocation(id, 'SendParameterData', [`"${topic}"`, `"${payload.stream}"`, bodyOf(payload)]),
  );
}

/** Each reader subscribes to one parameter of ten, the same as the others. */
export async function fanOut(system: System, readers: number, packages: number): Promise<Delivered> {
  const frames = framesOf(packages);
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  const work = delivery(readers, packages, (id) => writer.send(frames[id]!));
  const sockets: HubSocket[] = [];
  for (let reader = 0; reader < readers; reader++) {
    sockets.push(await openReader(system.port, 'p0', () => work.arrived(reader), fail));
  }
  const writer = await openHubSocket(system.port, token, { onCompletion: work.answered, onError: fail });
  work.begin();
  try {
    return await Promise.race([work.done, failed]);
  } finally {
    for (const socket of [...sockets, writer]) socket.close();
  }
}

/** What `pacedFanOut` tells: ms from the writer's answer to arrival, and the service's processor time for a message. */
export type Paced = { readonly p50: number; readonly p99: number; readonly cpuMicros: number };

/** The same at a steady pace: so many messages a second to all readers together, however fast they come. */
export async function pacedFanOut(
  system: System,
  readers: number,
  perSecond: number,
  seconds: number,
): Promise<Paced> {
  const everyMs = (1000 * readers) / perSecond;
  const packages = Math.max(5, Math.round((seconds * 1000) / everyMs));
  const frames = framesOf(packages);
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  const work = delivery(readers, packages, () => {});
  const sockets: HubSocket[] = [];
  for (let reader = 0; reader < readers; reader++) {
    sockets.push(await openReader(system.port, 'p0', () => work.arrived(reader), fail));
  }
  const writer = await openHubSocket(system.port, token, { onCompletion: work.answered, onError: fail });
  const cpuBefore = system.cpuSeconds();
  work.begin();
  const start = performance.now();
  const write = async (): Promise<void> => {
    for (const [id, frame] of frames.entries()) {
      const early = start + id * everyMs - performance.now();
      if (early > 0) await sleep(early);
      writer.send(frame);
    }
  };
  write().catch(fail);
  try {
    const { p50, p99 } = await Promise.race([work.done, failed]);
    const cpuMicros = ((system.cpuSeconds() - cpuBefore) * 1e6) / (packages * readers);
    return { p50, p99, cpuMicros };
  } finally {
    for (const socket of [...sockets, writer]) socket.close();
  }
}

/** The same with the official client as the only reader. */
export async function officialFanOut(system: System, packages: number): Promise<Delivered> {
  const frames = framesOf(packages);
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  const work = delivery(1, packages, (id) => writer.send(frames[id]!));
  const reader = new HubConnectionBuilder()
    .withUrl(`http://127.0.0.1:${system.port}/hub?int64=string`, {
      transport: HttpTransportType.WebSockets,
      accessTokenFactory: () => token,
    })
    .configureLogging(LogLevel.None)
    .build();
  reader.on('ParameterDataReceived', () => work.arrived(0));
  await reader.start();
  await reader.invoke('SubscribeToParameter', topic, '*', 'p0');
  const writer = await openHubSocket(system.port, token, { onCompletion: work.answered, onError: fail });
  work.begin();
  try {
    return await Promise.race([work.done, failed]);
  } finally {
    writer.close();
    await reader.stop();
  }
}

/** A reader of a parameter, or of all (`*`), that is subscribed when this resolves. */
export async function openReader(
  port: number,
  parameter: string,
  onEvent: () => void,
  onError: (error: Error) => void,
): Promise<HubSocket> {
  let subscribed: () => void = () => {};
  const ready = new Promise<void>((resolve) => {
    subscribed = resolve;
  });
  const socket = await openHubSocket(port, token, { onCompletion: () => subscribed(), onEvent, onError });
  socket.send(invocation(0, 'SubscribeToParameter', [`"${topic}"`, '"*"', `"${parameter}"`]));
  await ready;
  return socket;
}
