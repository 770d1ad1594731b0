import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { PitwallError } from '../../../src/errors.ts';
import { type Connection, createConnection } from '../../../src/hub/connection/connection.ts';
import { createDispatcher } from '../../../src/hub/connection/dispatcher.ts';
import { createEventEncoding } from '../../../src/hub/connection/event-encoding.ts';
import { defaultHubLimits } from '../../../src/hub/connection/hub-limits.ts';
import { createHubMeter } from '../../../src/hub/connection/hub-meter.ts';
import { createQueueMemory } from '../../../src/hub/connection/queue-memory.ts';
import { createByteBudget } from '../../../src/ingest/byte-budget.ts';
import { createLeastRate } from '../../../src/ingest/least-rate.ts';
import { liveEvent } from '../../../src/live/live-event.ts';
import { createLog } from '../../../src/log.ts';
import { createMetrics } from '../../../src/metrics.ts';
import { createSlices } from '../../../src/turns/slices.ts';
import { cases } from '../../extent.ts';
import { call, handshake, separator } from '../serve-hub.ts';

const meter = createHubMeter(createMetrics());

const events = [
  'attach',
  'shake hands',
  'half a handshake',
  'invoke',
  'begin a call',
  'end a call',
  'deliver',
  'flood',
  'ping',
  'send garbage',
  'say goodbye',
  'stop',
  'lose the transport',
  'pass a second',
  'pass a minute',
  'revoke the token',
  'fill the store',
  'make room',
] as const;
type Event = (typeof events)[number];

/** A connection, and all that happens around it. In slices of 0 ms every message waits for a turn of its own. */
function rig(sliceMs: number) {
  let time = 0;
  let isValid = true;
  let calls = 0;
  let closes = 0;
  let endings = 0;
  const sent: string[] = [];
  const running: (() => void)[] = [];
  let store: { readonly room: Promise<void>; readonly open: () => void } | undefined;
  const budget = createByteBudget(1_000_000);
  const principal = { tokenId: '1', workspace: 'default', scopes: ['admin'] } as const;
  const memory = createQueueMemory(1_000_000);
  const connection: Connection = createConnection({
    id: 'public',
    limits: { ...defaultHubLimits, maxQueueBytes: 2000, maxInvocationsInFlight: 3 },
    int64AsString: false,
    dispatcher: createDispatcher({
      methods: [
        { name: 'Now', scope: 'write', arity: [0, 0], invoke: () => 'done' },
        {
          name: 'Later',
          scope: 'write',
          arity: [0, 0],
          invoke: () => new Promise<void>((resolve) => running.push(resolve)),
        },
      ],
      budget,
      meter,
      log: createLog('silent'),
      onUnheard: () => undefined,
    }),
    budget,
    leastRate: createLeastRate({ bytesPerSecond: 1, graceMs: 60_000, onSlow: () => {} }),
    meter,
    slices: createSlices('hub', sliceMs),
    memory,
    encoding: createEventEncoding(createSlices('hub', sliceMs), memory),
    credentials: {
      principal,
      check() {
        if (!isValid) throw new PitwallError('unauthorized');
      },
    },
    room: () => store?.room,
    now: () => time,
    log: createLog('silent'),
    onEnding() {
      endings++;
    },
    onClosed() {
      closes++;
    },
  });
  const transport = {
    name: 'WebSockets',
    flush() {
      for (let next = connection.queue.take(); next !== undefined; next = connection.queue.take()) {
        connection.queue.sent(next);
        sent.push(Buffer.from(next.bytes).toString().slice(0, -1));
      }
      if (connection.queue.hasEnded) connection.apply('lost');
    },
    cut() {},
    tick() {},
  } as const;
  const pass = (seconds: number): void => {
    for (let i = 0; i < seconds; i++) {
      time += 1000;
      connection.tick();
    }
  };
  const receive = (text: string): void => {
    connection.receive(Buffer.from(text));
  };
  const happen: Record<Event, () => void> = {
    attach() {
      if (connection.transport === undefined && connection.state === 'negotiated')
        connection.attach(transport);
    },
    'shake hands': () => receive(handshake),
    'half a handshake': () => receive('{"protocol":'),
    invoke: () => receive(call('Now', [], `${calls++}`)),
    'begin a call': () => receive(call('Later', [], `${calls++}`)),
    'end a call': () => running.shift()?.(),
    deliver: () => connection.deliver(liveEvent('PackageReceived', () => ['x'])),
    flood: () => receive(call('Now', [], `${calls++}`) + call('Later', [], `${calls++}`) + call('Now', [])),
    ping: () => receive(`{"type":6}${separator}`),
    'send garbage': () => receive(`garbage${separator}`),
    'say goodbye': () => receive(`{"type":7}${separator}`),
    stop: () => connection.apply('stopping', 'The service is stopping.'),
    'lose the transport': () => connection.apply('lost'),
    'pass a second': () => pass(1),
    'pass a minute': () => pass(60),
    'revoke the token'() {
      isValid = false;
    },
    'fill the store'() {
      if (store !== undefined) return;
      let open: () => void = () => {};
      const room = new Promise<void>((resolve) => {
        open = resolve;
      });
      store = { room, open };
    },
    'make room'() {
      const { open } = store ?? {};
      store = undefined;
      open?.();
    },
  };
  return { connection, budget, sent, happen, issued: () => calls, ended: () => ({ closes, endings }) };
}

describe('a connection of the hub', () => {
  it('keeps its promises whatever happens, in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...events), { maxLength: 40 }),
        fc.boolean(),
        fc.constantFrom(0, 1000),
        async (rest, isConnected, sliceMs) => {
          const { connection, budget, sent, happen, issued, ended } = rig(sliceMs);
          const start: Event[] = isConnected ? ['attach', 'shake hands'] : [];
          for (const event of [...start, ...rest]) {
            happen[event]();
            await setImmediate();
          }
          happen['make room']();
          connection.apply('lost');
          await setImmediate();
          // It closes once, and lets go of what it held at least once.
          assert.equal(connection.state, 'closed');
          assert.equal(ended().closes, 1);
          assert.ok(ended().endings >= 1);
          // What it held of the memory of all is given back, but for calls that still run.
          happen['end a call']();
          happen['end a call']();
          happen['end a call']();
          await setImmediate();
          assert.equal(budget.used, 0);
          // The first message answers the handshake; one that ends the connection is the last.
          const messages = sent.map((text) => JSON.parse(text));
          if (messages.length > 0) assert.equal('type' in messages[0], false);
          const last = messages.findIndex(
            ({ type, error }) => type === 7 || (type === undefined && error !== undefined),
          );
          assert.ok(last < 0 || last === messages.length - 1);
          // Every call is answered at most once, and only those that were made.
          const answered = messages
            .filter(({ type }) => type === 3)
            .map(({ invocationId }) => Number(invocationId));
          assert.equal(new Set(answered).size, answered.length);
          assert.ok(answered.every((id) => id < issued()));
        },
      ),
      { numRuns: cases(300) },
    );
  });
});
