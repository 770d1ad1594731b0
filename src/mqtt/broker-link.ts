import { connect as connectTcp, isIP } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { BrokerExchange, type BrokerLinkOptions } from './broker-exchange.ts';
import { BadPacket, type Version } from './packets.ts';
import { Rebirths } from './rebirths.ts';

/** Reads from a broker for as long as the service runs, and is the node that does it. */
export interface BrokerLink {
  stop(): Promise<void>;
}

const connectTimeoutMs = 20_000;
const firstPauseMs = 250;
const longestPauseMs = 30_000;

/** How soon a node sees that it is to read, or no longer. */
const ownLookMs = 250;

export interface OwnLinkOptions extends BrokerLinkOptions {
  /** Whether this node reads from the broker: of replicas one at a time. */
  readonly isOwn: () => boolean;
}

export function openBrokerLink(options: OwnLinkOptions): BrokerLink {
  const link = new Link(options);
  return { stop: () => link.stop() };
}

/** One connection after the other, for ever. */
class Link {
  readonly #options: OwnLinkOptions;
  readonly #stopping = new AbortController();
  readonly #rebirths: Rebirths;
  readonly #running: Promise<void>;
  /** MQTT 5, until the broker does not know it. */
  #version: Version = 5;
  #pauseMs = firstPauseMs;
  /** When the last connection ended, or the first try began. */
  #awaySince = performance.now();
  #openedAt = 0;

  constructor(options: OwnLinkOptions) {
    this.#options = options;
    const broker = options.address.shown;
    this.#rebirths = new Rebirths(performance.now.bind(performance), () =>
      options.log.warn({ broker }, 'the MQTT broker lets nobody ask nodes of Sparkplug for their births'),
    );
    this.#running = this.#run();
  }

  stop(): Promise<void> {
    this.#stopping.abort(new Error('the service stops'));
    return this.#running;
  }

  async #run(): Promise<void> {
    const { address, log, isOwn } = this.#options;
    let told = '';
    while (!this.#stopping.signal.aborted) {
      if (!isOwn()) {
        this.#awaySince = performance.now();
        await pause(ownLookMs, undefined, this.#stopping).catch(() => undefined);
        continue;
      }
      let reason: string;
      try {
        reason = await this.#connection();
      } catch (error) {
        reason = (error as Error).message;
      }
      if (this.#stopping.signal.aborted) return;
      if (!isOwn()) {
        log.info({ broker: address.shown }, 'another node reads from the MQTT broker now');
        continue;
      }
      const awaySeconds = Math.round((performance.now() - this.#awaySince) / 1000);
      // A broker that is away for days does not fill the log.
      if (reason !== told || this.#pauseMs >= longestPauseMs)
        log.warn(
          { broker: address.shown, reason, awaySeconds },
          'there is no connection to the MQTT broker; it is tried again',
        );
      told = reason;
      await this.#pause();
    }
  }

  async #pause(): Promise<void> {
    const pauseMs = this.#pauseMs * (0.75 + Math.random() / 2);
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs);
    await pause(pauseMs, undefined, this.#stopping).catch(() => undefined);
  }

  /** One connection; resolves with why it ended. */
  #connection(): Promise<string> {
    const { host, port, isTls } = this.#options.address;
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const socket = isTls ? connectTls({ host, port, ...servername }) : connectTcp({ host, port });
    return new Promise((resolve) => {
      const ending = new AbortController();
      let why = 'the broker closed the connection';
      const end = (reason: string): void => {
        why = reason;
        socket.destroy();
      };
      const late = setTimeout(() => end('the broker does not answer'), connectTimeoutMs);
      const exchange = new BrokerExchange(this.#options, {
        socket,
        version: this.#version,
        signal: ending.signal,
        rebirths: this.#rebirths,
        onOpen: () => {
          clearTimeout(late);
          this.#opened();
        },
        onOldBroker: () => {
          this.#version = 4;
        },
      });
      const onStop = (): void => exchange.goodbye();
      const own = setInterval(() => {
        if (!this.#options.isOwn()) onStop();
      }, ownLookMs);
      this.#stopping.signal.addEventListener('abort', onStop);
      socket.once(isTls ? 'secureConnect' : 'connect', () => exchange.begin());
      socket.on('data', (chunk: Buffer) => {
        exchange.read(chunk).catch((error: Error) => {
          // What an older broker answers is no packet of MQTT 5.
          if (!exchange.isOpen && error instanceof BadPacket) this.#version = 4;
          end(error.message);
        });
      });
      socket.on('error', (error: NodeJS.ErrnoException) => {
        why = error.code === 'ECONNREFUSED' ? 'the broker refuses connections' : error.message;
      });
      socket.once('close', () => {
        clearTimeout(late);
        clearInterval(own);
        this.#stopping.signal.removeEventListener('abort', onStop);
        ending.abort(new Error('the connection has ended'));
        exchange.end();
        if (exchange.isOpen) this.#closed();
        resolve(why);
      });
    });
  }

  #opened(): void {
    const { address, log } = this.#options;
    const awaySeconds = Math.round((performance.now() - this.#awaySince) / 1000);
    log.info({ broker: address.shown, awaySeconds }, 'connected to the MQTT broker');
    this.#openedAt = performance.now();
  }

  #closed(): void {
    this.#awaySince = performance.now();
    // One that breaks again and again is not opened four times a second.
    if (this.#awaySince - this.#openedAt > longestPauseMs) this.#pauseMs = firstPauseMs;
  }
}
