import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import mqtt, { type MqttClient } from 'mqtt';
import { freePort } from '../free-port.ts';
import { seededRandom } from '../store/embedded/random.ts';
import { until } from '../until.ts';
import { mqttRows } from './mqtt-rows.ts';
import { adminToken, launchService, temporaryFolder } from './service.ts';

const kills = 10;
/** Of each client, at one time. */
const underWay = 20;
/** Two of each quality of service and version. */
const clientCount = 8;

/** What a client has under way, and how much it has had acknowledged. */
class Writer {
  readonly client: MqttClient;
  readonly #name: string;
  readonly #qos: 1 | 2;
  #isStopped = false;
  sent = 0;
  acknowledged = 0;

  constructor(url: string, number: number) {
    this.#name = `c${number}`;
    this.#qos = number % 2 === 0 ? 1 : 2;
    this.client = mqtt.connect(url, {
      clientId: this.#name,
      clean: number % 4 < 2,
      protocolVersion: number < clientCount / 2 ? 4 : 5,
      ...(number >= clientCount / 2 && { properties: { sessionExpiryInterval: 3600 } }),
      username: 'any',
      password: adminToken,
      reconnectPeriod: 20,
      connectTimeout: 2000,
    });
    this.client.on('error', () => undefined);
    for (let i = 0; i < underWay; i++) this.#write();
  }

  /** One message after the other, of which each second one says the same. */
  async #write(): Promise<void> {
    while (!this.#isStopped) {
      const number = this.sent++;
      const topic = `crash/${this.#name}/${number % 2 === 0 ? 'unique' : 'same'}`;
      const payload = number % 2 === 0 ? String(number) : '1';
      // What it is given while it sends others again it lets go of, unsent, where the connection breaks.
      while (!(await this.#published(topic, payload)));
      this.acknowledged++;
    }
  }

  async #published(topic: string, payload: string): Promise<boolean> {
    try {
      await this.client.publishAsync(topic, payload, { qos: this.#qos });
      return true;
    } catch (error) {
      assert.equal((error as Error).message, 'Connection closed');
      return false;
    }
  }

  /** Resolves when all that was sent is acknowledged. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await until(() => this.acknowledged === this.sent);
    await this.client.endAsync();
  }
}

describe('a service that takes MQTT', () => {
  it('loses and doubles nothing, however often it is killed', async () => {
    const random = seededRandom(1);
    const [dataDir, port] = [temporaryFolder(), await freePort()];
    const args = ['--mqtt-listen', `127.0.0.1:${port}`, '--head-bytes', '4MiB'];
    let service = await launchService(dataDir, { args });
    const writers = Array.from({ length: clientCount }, (_, i) => new Writer(`mqtt://127.0.0.1:${port}`, i));
    const acknowledged = () => writers.reduce((sum, writer) => sum + writer.acknowledged, 0);
    try {
      for (let i = 0; i < kills; i++) {
        const enough = acknowledged() + random.int(200, 2000);
        await until(() => acknowledged() > enough);
        await service.stop('SIGKILL');
        service = await launchService(dataDir, { args });
      }
      await Promise.all(writers.map((writer) => writer.stop()));
    } finally {
      for (const { client } of writers) client.end(true);
    }
    const values = async (name: string) =>
      (await mqttRows(service.url, { topic: 'crash', name, groupBy: ['streamId'] })).map(
        ({ value, tags }) => ({
          value,
          stream: tags[0],
        }),
      );
    const [unique, same] = [await values('unique'), await values('same')];
    for (const [i, { sent }] of writers.entries()) {
      const of = (rows: typeof unique) =>
        rows.filter(({ stream }) => stream === `c${i}`).map(({ value }) => value);
      const wanted = Array.from({ length: Math.ceil(sent / 2) }, (_, at) => 2 * at);
      assert.deepEqual(
        of(unique).sort((a, b) => Number(a) - Number(b)),
        wanted,
        `the values of client ${i}`,
      );
      assert.equal(of(same).length, Math.floor(sent / 2), `the rows of client ${i} with the same value`);
    }
    await service.stop();
  });
});
