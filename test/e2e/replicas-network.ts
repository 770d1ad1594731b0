import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../free-port.ts';

/**
 * A network of named parts in which each has a proxy to each that it connects to. What is cut in one direction holds bytes back, and
 * the end of connections, as where packets are lost: they come when it works again, or never where who has sent them has gone.
 */
export class Network {
  readonly #cuts = new Set<string>();
  readonly #links: Link[] = [];
  readonly #isDirect: boolean;

  /** @param isDirect leaves the proxies out */
  constructor(isDirect = false) {
    this.#isDirect = isDirect;
  }

  /** The address at which one part reaches a port of another. */
  async link(near: string, far: string, to: number, port?: number): Promise<string> {
    if (this.#isDirect) return `127.0.0.1:${to}`;
    const passes = (from: string, target: string): boolean => !this.#cuts.has(`${from}>${target}`);
    const link = new Link(to, { there: () => passes(near, far), back: () => passes(far, near) });
    this.#links.push(link);
    return await link.open(port ?? (await freePort()));
  }

  /** From now on nothing comes from the ones to the others. */
  cut(from: readonly string[], to: readonly string[]): void {
    for (const one of from) for (const other of to) this.#cuts.add(`${one}>${other}`);
    for (const link of this.#links) link.apply();
  }

  /** Everything works again. */
  heal(): void {
    this.#cuts.clear();
    for (const link of this.#links) link.apply();
  }

  close(): void {
    for (const link of this.#links.splice(0)) link.close();
  }
}

/** Two ends of one connection; near is that of who connected. */
interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

/** Whether bytes pass, from who connects to who listens and back. */
interface Passage {
  there(): boolean;
  back(): boolean;
}

class Link {
  readonly #passage: Passage;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();

  constructor(to: number, passage: Passage) {
    this.#passage = passage;
    this.#server = createServer({ allowHalfOpen: true }, (near) => {
      const pair = { near, far: connect({ port: to, host: '127.0.0.1', allowHalfOpen: true }) };
      this.#pairs.add(pair);
      this.#join(pair, near, pair.far, passage.there);
      this.#join(pair, pair.far, near, passage.back);
      this.apply();
    });
  }

  async open(port: number): Promise<string> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    return `127.0.0.1:${port}`;
  }

  close(): void {
    this.#server.close();
    for (const { near, far } of this.#pairs) {
      near.destroy();
      far.destroy();
    }
  }

  /** What comes from one end goes to the other. */
  #join(pair: Pair, from: Socket, to: Socket, passes: () => boolean): void {
    from.setNoDelay(true);
    from.on('data', (chunk) => {
      if (!to.write(chunk)) from.pause();
    });
    to.on('drain', () => {
      if (passes()) from.resume();
    });
    from.on('end', () => to.end());
    from.on('error', () => undefined);
    from.on('close', () => {
      if (passes()) to.destroy();
      if (pair.near.destroyed && pair.far.destroyed) this.#pairs.delete(pair);
    });
  }

  apply(): void {
    for (const { near, far } of this.#pairs) {
      pass(near, far, this.#passage.there());
      pass(far, near, this.#passage.back());
    }
  }
}

function pass(from: Socket, to: Socket, isOpen: boolean): void {
  if (!isOpen) from.pause();
  else if (from.destroyed) to.destroy();
  else from.resume();
}
