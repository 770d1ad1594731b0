import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { generate, type Packet } from 'mqtt-packet';
import { freePort } from '../test/free-port.ts';
import { serve, token } from './pitwall.ts';
import { cpuSecondsOf, stopProcess } from './system.ts';

/** Messages that a client has under way. */
const underWay = 16;
const clientCount = 32;
const packetOfAcknowledgement = 4;

/** What takes MQTT. */
export interface MqttSystem {
  readonly name: string;
  readonly port: number;
  readonly child: ChildProcess;
}

export async function startPitwallMqtt(folder: string): Promise<MqttSystem> {
  const port = await freePort();
  const args = ['--data-dir', join(folder, 'pitwall'), '--mqtt-listen', `127.0.0.1:${port}`];
  const { child } = await serve(args);
  return { name: 'Pitwall', port, child };
}

/** The broker alone, which keeps nothing; undefined where it is not there. */
export async function startMosquittoAlone(): Promise<MqttSystem | undefined> {
  const program = ['/usr/sbin/mosquitto', '/usr/local/sbin/mosquitto'].find((path) => existsSync(path));
  if (program === undefined) return undefined;
  const port = await freePort();
  const child = spawn(program, ['-p', String(port)], { stdio: 'ignore' });
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isThere) break;
    if (child.exitCode !== null) throw new Error('mosquitto did not start');
    await sleep(50);
  }
  return { name: 'mosquitto', port, child };
}

/**
 * QoS 1, ten values a message, so many messages of all clients together: messages a second, and what each took of the
 * processor.
 */
export async function measureMqtt({ port, child }: MqttSystem, messages: number) {
  const each = Math.ceil(messages / clientCount);
  const clients = await Promise.all(Array.from({ length: clientCount }, (_, i) => openClient(port, i)));
  await Promise.all(clients.map((client) => send(client, Math.ceil(each / 5))));
  const [begun, cpu] = [performance.now(), cpuSecondsOf(child)];
  await Promise.all(clients.map((client) => send(client, each)));
  const perSecond = (clientCount * each) / ((performance.now() - begun) / 1000);
  const microseconds = ((cpuSecondsOf(child) - cpu) * 1e6) / (clientCount * each);
  for (const { socket } of clients) socket.destroy();
  await stopProcess(child);
  return { perSecond, microseconds };
}

interface Client {
  readonly socket: Socket;
  readonly number: number;
  /** Of the next message. */
  next: number;
}

async function openClient(port: number, number: number): Promise<Client> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  const login: Packet = {
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 4,
    clientId: `bench-${number}`,
    clean: true,
    keepalive: 0,
    username: 'any',
    password: Buffer.from(token),
  };
  socket.write(generate(login));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  if (answer[3] !== 0) throw new Error(`the login was refused: ${answer[3]}`);
  return { socket, number, next: 0 };
}

/** Sends messages, so many at one time; resolves when all are acknowledged. */
function send(client: Client, count: number): Promise<void> {
  const { socket } = client;
  return new Promise((resolve, reject) => {
    let sent = 0;
    let bytes = 0;
    const more = (some: number): void => {
      const packets: Buffer[] = [];
      for (let i = 0; i < some && sent < count; i++, sent++) packets.push(message(client));
      if (packets.length > 0) socket.write(Buffer.concat(packets));
    };
    const onData = (chunk: Buffer): void => {
      const before = Math.floor(bytes / packetOfAcknowledgement);
      bytes += chunk.length;
      const now = Math.floor(bytes / packetOfAcknowledgement);
      if (now < count) more(now - before);
      else {
        socket.off('data', onData);
        resolve();
      }
    };
    socket.on('data', onData).once('close', () => reject(new Error('the connection was closed')));
    more(underWay);
  });
}

function message(client: Client): Buffer {
  const { number, next } = client;
  client.next++;
  const values = Array.from(
    { length: 10 },
    (_, i) => `"p${i}":${Math.round(1000 * Math.sin(next + i)) / 1000}`,
  );
  return generate({
    cmd: 'publish',
    topic: `bench/s${number}`,
    payload: `{"time":${1_700_000_000_000 + next},${values.join()}}`,
    qos: 1,
    dup: false,
    retain: false,
    messageId: 1 + (next % 0xffff),
  });
}
