import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { generate, type Packet } from 'mqtt-packet';
import { type Attack, again, type Target } from './attack.ts';

const version = { protocolVersion: 5 } as const;
let clients = 0;

function login(token: string): Buffer {
  const packet = {
    cmd: 'connect',
    clientId: `attacker-${clients++}`,
    protocolId: 'MQTT',
    protocolVersion: 5,
    clean: true,
    keepalive: 0,
    username: 'x',
    password: Buffer.from(token),
  };
  return generate(packet as Packet, version);
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port }).setMaxListeners(0);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** A connection that has come in. */
async function enter({ mqttPort, token }: Target): Promise<Socket> {
  const socket = await open(mqttPort);
  socket.write(login(token));
  await once(socket, 'data');
  return socket;
}

async function untilClosed(socket: Socket): Promise<void> {
  if (!socket.closed) await once(socket, 'close');
}

/** All but the last byte of a login as long as it may be. */
const halfLogin = Buffer.concat([Buffer.from([0x10, 0xfb, 0xff, 0x07]), Buffer.alloc(130_000)]);

export const mqttConnects: Attack = {
  name: 'mqtt-connects',
  title: 'two thousand connections of MQTT with nearly all of a login of 128 KiB, without a token',
  async run({ mqttPort }) {
    await again(2000, async () => {
      const socket = await open(mqttPort);
      socket.resume();
      socket.write(halfLogin);
      await untilClosed(socket);
      await pause(100);
    });
  },
};

/** Beside it somebody of the same workspace writes what all these filters match. */
export const mqttFilters: Attack = {
  name: 'mqtt-filters',
  title:
    'sixty-four clients of MQTT with a thousand wildcard filters each, which read nothing, beside values',
  async run(target) {
    const filters = Array.from(
      { length: 1000 },
      (_, i) => `+/+/${i % 2 === 0 ? '+' : `p${i % 50}`}/${'+/'.repeat(i % 60)}#`,
    );
    const subscriptions = filters.map((topic) => ({ topic, qos: 1 as const }));
    const subscribe = generate({ cmd: 'subscribe', messageId: 1, subscriptions }, version);
    const values = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`p${i}`, i]));
    const reader = async (): Promise<void> => {
      const socket = await enter(target);
      socket.write(subscribe);
      socket.pause();
      await untilClosed(socket);
    };
    const writer = async (): Promise<void> => {
      const socket = await enter(target);
      const closed = untilClosed(socket);
      for (let messageId = 1; !socket.closed; messageId = (messageId % 0xffff) + 1) {
        const payload = JSON.stringify({ time: Date.now(), ...values });
        const packet = {
          cmd: 'publish',
          topic: 'a/b',
          payload,
          qos: 1,
          messageId,
          dup: false,
          retain: false,
        };
        socket.write(generate(packet as Packet, version));
        await Promise.race([once(socket, 'data'), closed]);
      }
    };
    await Promise.all([again(64, reader), again(2, writer)]);
  },
};

export const mqttLengths: Attack = {
  name: 'mqtt-lengths',
  title:
    'sixty-four clients of MQTT that announce 256 MiB, or send nearly all of 32 MiB, and then a byte a second',
  async run(target) {
    const most = Buffer.alloc(31 * 2 ** 20, ' ');
    const announced = (length: number): Buffer => {
      const digits = [0, 7, 14, 21].map((shift, i) => ((length >> shift) & 0x7f) | (i < 3 ? 0x80 : 0));
      return Buffer.from([0x32, ...digits, 0, 5, ...Buffer.from('a/b/c'), 0, 1]);
    };
    let next = 0;
    await again(64, async () => {
      const socket = await enter(target);
      const isLie = next++ % 2 === 0;
      socket.write(announced(isLie ? 2 ** 28 - 1 : 32 * 2 ** 20));
      if (!isLie) socket.write(most);
      const trickle = setInterval(() => socket.write(' '), 1000);
      await untilClosed(socket.resume());
      clearInterval(trickle);
    });
  },
};

export const mqttPings: Attack = {
  name: 'mqtt-pings',
  title: 'sixteen clients of MQTT that send pings, and read no answer',
  async run(target) {
    const pings = Buffer.alloc(1 << 16);
    for (let i = 0; i < pings.length; i += 2) pings[i] = 0xc0;
    await again(16, async () => {
      const socket = await enter(target);
      socket.pause();
      while (!socket.closed) await new Promise((resolve) => socket.write(pings, resolve));
    });
  },
};
