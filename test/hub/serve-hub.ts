import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { WebSocket } from 'ws';
import { createAdmit } from '../../src/auth/admit.ts';
import type { Principal } from '../../src/domain/principal.ts';
import { PitwallError } from '../../src/errors.ts';
import { createTurns } from '../../src/http/turns.ts';
import { offerUpgrades } from '../../src/http/upgrade.ts';
import type { Connection } from '../../src/hub/connection/connection.ts';
import { defaultHubLimits, type HubLimits } from '../../src/hub/connection/hub-limits.ts';
import type { HubMethod } from '../../src/hub/connection/hub-method.ts';
import { createHub, type Hub } from '../../src/hub/hub.ts';
import { type ByteBudget, createByteBudget } from '../../src/ingest/byte-budget.ts';
import { createLeastRate } from '../../src/ingest/least-rate.ts';
import { Sequence } from '../../src/live/sequence.ts';
import { createLog } from '../../src/log.ts';
import { createMetrics, type Metrics } from '../../src/metrics.ts';
import { createSlices, type Slices } from '../../src/turns/slices.ts';

export const separator = '\u001e';
export const handshake = `{"protocol":"json","version":1}${separator}`;

/** A hub behind an HTTP server of its own, with methods and a clock that the test chooses. */
export interface ServedHub {
  readonly hub: Hub;
  readonly metrics: Metrics;
  /** What all requests may hold. */
  readonly budget: ByteBudget;
  readonly url: string;
  /** Lets so much time pass, a second at a time as the service does. */
  pass(milliseconds: number): void;
  /** What the tokens `good`, `other` and `reader` stand for; deleting one revokes it. */
  readonly tokens: Map<string, Principal | Promise<Principal>>;
  /** Connections that subscribed, by the method `Listen`. */
  readonly listeners: Connection[];
  /** Ends the calls of the method `Wait`, the oldest first. */
  readonly waiting: (() => void)[];
  /** What the method `Note` got, in the order of the calls. */
  readonly notes: string[];
  /** How many elements of its lists the method `Numbers` has made. */
  numbersMade: number;
  /** Set, the store has no room until it settles. */
  room: Promise<void> | undefined;
  /** How often a connection has asked for it. */
  roomAsked: number;
}

/** Slices of a few steps, however fast the machine is: each look at the clock moves it. */
export function shortSlices(): Slices {
  let time = 0;
  return createSlices('hub', 4, () => ++time);
}

export async function serveHub(
  limits: Partial<HubLimits> = {},
  corsOrigin = '*',
  slices?: Slices,
  outgoingSlices?: Slices,
): Promise<ServedHub> {
  let time = 1_000_000;
  const tokens = new Map<string, Principal | Promise<Principal>>([
    ['good', { tokenId: '1', workspace: 'default', scopes: ['admin'] }],
    ['other', { tokenId: '2', workspace: 'other', scopes: ['admin'] }],
    ['reader', { tokenId: '3', workspace: 'default', scopes: ['read'] }],
  ]);
  const listeners: Connection[] = [];
  const waiting: (() => void)[] = [];
  const notes: string[] = [];
  const methods: HubMethod[] = [
    { name: 'Echo', scope: 'read', arity: [1, 1], invoke: (_caller, [value]) => JSON.parse(textOf(value)) },
    {
      name: 'Note',
      scope: 'write',
      arity: [1, 1],
      invoke(_caller, [value]) {
        notes.push(textOf(value));
      },
    },
    {
      name: 'Wait',
      scope: 'write',
      arity: [0, 0],
      invoke: () => new Promise<void>((resolve) => waiting.push(resolve)),
    },
    {
      name: 'Fail',
      scope: 'write',
      arity: [0, 1],
      invoke: () => Promise.reject(new PitwallError('disk_full', { detail: 'the disk is full' })),
    },
    { name: 'Three', scope: 'read', arity: [3, 3], invoke: (_caller, args) => args.length },
    {
      name: 'Bug',
      scope: 'read',
      arity: [0, 0],
      invoke: () => Promise.reject(new TypeError('a secret detail')),
    },
    {
      name: 'LookBack',
      scope: 'write',
      arity: [0, 0],
      looksBack: true,
      invoke() {
        notes.push('look back');
      },
    },
    {
      name: 'Numbers',
      scope: 'read',
      arity: [1, 1],
      answersList: true,
      invoke(_caller, [count]) {
        return new Sequence(Number(textOf(count)), (into, from, to) => {
          served.numbersMade += to - from;
          for (let i = from; i < to; i++) into[i - from] = i;
        });
      },
    },
    {
      name: 'Listen',
      scope: 'read',
      arity: [0, 0],
      invoke({ subscriber }) {
        listeners.push(subscriber as Connection);
      },
    },
  ];
  const metrics = createMetrics();
  const budget = createByteBudget(64 * 2 ** 20);
  const served = {
    metrics,
    budget,
    tokens,
    listeners,
    waiting,
    notes,
    numbersMade: 0,
    room: undefined as Promise<void> | undefined,
    roomAsked: 0,
  };
  const hub = createHub({
    methods,
    limits: { ...defaultHubLimits, ...limits },
    admit: createAdmit({
      authenticate(header) {
        const principal = tokens.get(/^bearer (.*)$/i.exec(header ?? '')?.[1] ?? '');
        if (principal === undefined)
          throw new PitwallError('unauthorized', { detail: 'this token is not known' });
        return principal;
      },
      workspaceOfHost: (host) => (host?.startsWith('another.') ? 'another' : undefined),
      budget,
      metrics,
    }),
    node: 'test-node',
    budget,
    leastRate: createLeastRate({ bytesPerSecond: 1, graceMs: 60_000, onSlow: () => {} }),
    metrics,
    room() {
      served.roomAsked++;
      return served.room;
    },
    corsOrigin,
    now: () => time,
    log: createLog('silent'),
    newRequestId: () => 'request',
    ...(slices === undefined ? {} : { slices }),
    ...(outgoingSlices === undefined ? {} : { outgoingSlices }),
    onUnheard: () => undefined,
    onEnding(connection) {
      const at = listeners.indexOf(connection);
      if (at >= 0) listeners.splice(at, 1);
    },
  });
  const server = createServer((request, response) => {
    if (hub.request(request, response)) return;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => response.end(`plain ${request.method} ${request.url} ${Buffer.concat(chunks)}`));
  });
  offerUpgrades(server, createTurns(), hub.upgrade);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    for (const resolve of waiting) resolve();
    server.close();
  });
  return Object.assign(served, {
    hub,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pass(milliseconds: number) {
      for (let left = milliseconds; left > 0; left -= 1000) {
        time += Math.min(left, 1000);
        hub.tick();
      }
    },
  });
}

function textOf(argument: { json(): Uint8Array } | undefined): string {
  return Buffer.from(argument!.json()).toString();
}

/** A client that sends frames as they are, and reads messages one by one. */
export interface RawClient {
  readonly socket: WebSocket;
  send(data: string | Buffer, binary?: boolean): void;
  /** The next message, without its separator; undefined when the connection has closed. */
  next(): Promise<string | undefined>;
  /** The code of the close. */
  readonly closed: Promise<number>;
}

/** Opens a WebSocket; rejects with the status of a refusal. */
export async function openRaw(
  url: string,
  path = '/hub?access_token=good',
  headers: Record<string, string> = {},
  isWanted: (message: string) => boolean = () => true,
): Promise<RawClient> {
  const socket = new WebSocket(url.replace('http', 'ws') + path, { headers });
  after(() => socket.terminate());
  const received: string[] = [];
  const waiting: ((message: string | undefined) => void)[] = [];
  let isClosed = false;
  socket.on('message', (data: Buffer) => {
    // Every frame has whole messages.
    const messages = data.toString().split(separator);
    if (messages.pop() !== '') throw new Error('a frame with half a message');
    for (const message of messages.filter(isWanted)) {
      const wanted = waiting.shift();
      if (wanted === undefined) received.push(message);
      else wanted(message);
    }
  });
  const closed = new Promise<number>((resolve) => {
    socket.on('close', (code) => {
      isClosed = true;
      for (const wanted of waiting) wanted(undefined);
      resolve(code);
    });
  });
  await new Promise<void>((resolve, reject) => {
    socket.on('unexpected-response', (_request, response) => {
      response.resume();
      reject(new Error(String(response.statusCode)));
    });
    socket.on('error', reject);
    socket.on('open', resolve);
  });
  socket.removeAllListeners('error').on('error', () => {});
  return {
    socket,
    closed,
    send: (data, binary = false) => socket.send(data, { binary }),
    next: () => {
      const message = received.shift();
      if (message !== undefined || isClosed) return Promise.resolve(message);
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}

/** The same, with the JSON handshake done. */
export async function connectRaw(url: string, path?: string): Promise<RawClient> {
  return await shakeHands(await openRaw(url, path));
}

/** The same at a real service, without its pings: when they come is a matter of its clock. */
export async function connectUnpinged(url: string, path: string): Promise<RawClient> {
  return await shakeHands(await openRaw(url, path, {}, (message) => message !== '{"type":6}'));
}

async function shakeHands(client: RawClient): Promise<RawClient> {
  client.send(handshake);
  const answer = await client.next();
  if (answer !== '{}') throw new Error(`the handshake was answered with ${answer}`);
  return client;
}

export function call(target: string, args: readonly unknown[], invocationId?: string): string {
  return JSON.stringify({ type: 1, invocationId, target, arguments: args }) + separator;
}
