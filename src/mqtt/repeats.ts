import { createHash } from 'node:crypto';
import type { CatalogWriter, Documents, ServiceRegistry } from '../store/store.ts';
import { nextTurn } from '../turns/rest.ts';
import type { KeptText } from '../wire/series/series-read.ts';

/** A message that came with a number, as its client counts. */
export interface Numbered {
  readonly packetId: number;
  readonly topic: string;
  readonly payload: Buffer;
  /** ns */
  readonly arrivedAt: bigint;
  /** How many with a number came before it over its connection. */
  readonly numberedBefore: number;
  /** Its sender says that it may have come before. Not all say so. */
  readonly dup: boolean;
}

/** Where the messages of one client come from. */
export interface Sender {
  readonly workspace: string;
  readonly clientId: string;
  /**
   * When it last said goodbye, ns; undefined where it did not, or that is not known. What arrived before is no
   * candidate: its acknowledgement was taken. A connection that just broke says nothing: it may have ended before
   * anything was sent again.
   */
  readonly candidatesFrom: bigint | undefined;
  /** When its connection began, ns: what arrived since came over it, where nothing comes twice without saying so. */
  readonly connectedAt: bigint;
}

/** More messages than a client has under way at one time: what it sends again is among its last so many. */
export const mostUnderWay = 256;
/** The messages that are kept of a client: what it sends again is among the first of a connection, too. */
const slots = 2 * mostUnderWay;
/** The most messages that are kept of a workspace; each takes some 300 bytes. */
const mostKept = 200_000;
/** How long a message is kept: nobody sends one again after that. */
export const keptMs = 3_600_000;
const forgottenAtOnce = 1000;

/**
 * The arrival times of messages that say no time of their own, by client and number. A client that did not get an
 * acknowledgement sends the message again after it has connected, also to a service that was killed meanwhile: then
 * it gets the time that it had, and its row is the same row. So these times are kept in the record of the rows.
 *
 * Kind `mqttMessage`, the id `<client>\n<number modulo 512>`, and as its body
 * `[number, digest of topic and payload, time of the rows, when it came last]`, both in ns as strings.
 */
export class Repeats {
  readonly #catalog: Documents & Pick<ServiceRegistry, 'workspaces'>;
  readonly #append: CatalogWriter['append'];
  readonly #now: () => number;
  readonly #onFull: () => void;

  /**
   * @param now milliseconds since the Unix epoch
   * @param onFull told of a message that is not kept, for there are too many
   */
  constructor({ catalog, append }: CatalogWriter, now: () => number, onFull: () => void) {
    this.#catalog = catalog;
    this.#append = append;
    this.#now = now;
    this.#onFull = onFull;
  }

  /** When the same message arrived before, ns; undefined for a new one. */
  timeOf(sender: Sender, message: Numbered): bigint | undefined {
    const id = idOf(sender.clientId, message.packetId);
    const item = this.#catalog.document(sender.workspace, 'mqttMessage', undefined, id);
    if (item === undefined) return undefined;
    const [packetId, digest, time, cameAt] = JSON.parse(item.body) as [number, string, string, string];
    if (packetId !== message.packetId) return undefined;
    const last = BigInt(cameAt);
    const { connectedAt, candidatesFrom } = sender;
    const isLate = message.numberedBefore >= slots;
    const isAnother =
      isLate || last >= connectedAt || (candidatesFrom !== undefined && last < candidatesFrom);
    if (isAnother && !message.dup) return undefined;
    // By the age of the row, and not by when it came last: each repeat renews that.
    if (BigInt(time) < BigInt(this.#now() - keptMs) * 1_000_000n) return undefined;
    return digest === digestOf(message) ? BigInt(time) : undefined;
  }

  /**
   * What is to be kept of a message in the record of its rows; undefined where very many are kept already.
   *
   * @param time of its rows, ns
   */
  keep({ workspace, clientId }: Sender, message: Numbered, time: bigint): KeptText | undefined {
    const id = idOf(clientId, message.packetId);
    const isFull = this.#catalog.documentCount(workspace, 'mqttMessage') >= mostKept;
    if (isFull && this.#catalog.document(workspace, 'mqttMessage', undefined, id) === undefined) {
      this.#onFull();
      return undefined;
    }
    const { packetId, arrivedAt } = message;
    const body = JSON.stringify([packetId, digestOf(message), String(time), String(arrivedAt)]);
    return { kind: 'mqttMessage', id, body };
  }

  /** Forgets what is too old; to be called now and then. */
  async forgetOld(): Promise<void> {
    const oldest = this.#now() - keptMs;
    for (const { name } of this.#catalog.workspaces()) {
      let some: string[] = [];
      const forget = async (): Promise<void> => {
        const changes = some.map(
          (id) => ({ type: 'forget', kind: 'mqttMessage', topic: undefined, id }) as const,
        );
        some = [];
        await this.#append({ workspace: name, changes });
      };
      let seen = 0;
      for (const { id, updatedAt } of this.#catalog.eachDocument(name, 'mqttMessage')) {
        if (updatedAt < oldest) some.push(id);
        if (some.length === forgottenAtOnce) await forget();
        else if (++seen % forgottenAtOnce === 0) await nextTurn();
      }
      if (some.length > 0) await forget();
    }
  }
}

function idOf(clientId: string, packetId: number): string {
  return `${clientId}\n${packetId % slots}`;
}

export function digestOf({ topic, payload }: Pick<Numbered, 'topic' | 'payload'>): string {
  return createHash('sha1').update(topic).update('\0').update(payload).digest('base64').slice(0, 16);
}
