import type { Config } from '../config.ts';
import { createHub, type Hub, type HubOptions } from '../hub/hub.ts';
import { readerHub } from '../hub/reader-hub.ts';
import type { Subscriptions } from '../hub/subscriptions.ts';
import { writerHub } from '../hub/writer-hub.ts';
import { waitForRoom } from '../ingest/room.ts';
import type { Writer } from '../ingest/writer.ts';
import type { Broker } from '../live/broker.ts';
import type { Store } from '../store/store.ts';
import { hubLimits } from './hub-limits.ts';
import type { startNotes } from './notes.ts';

/** How often the hub looks at its deadlines, which are seconds. */
const hubTickMs = 1000;

type Given = Omit<
  HubOptions,
  'methods' | 'limits' | 'node' | 'room' | 'now' | 'onReaderLetGo' | 'onUnheard' | 'onEnding'
>;

export interface RunHubOptions extends Given {
  readonly store: Store;
  readonly writer: Writer;
  readonly broker: Broker;
  readonly subscriptions: Subscriptions;
  /** Resolves when what is under way was published. */
  readonly settled: () => Promise<void>;
  readonly notes: Pick<ReturnType<typeof startNotes>, 'hubWrite' | 'hubUnheard' | 'readerLetGo'>;
}

/** The hub, and what stops it with the clock of its deadlines. */
export interface RunningHub {
  readonly hub: Hub;
  stop(): Promise<void>;
}

export function runHub(
  config: Config,
  { store, writer, broker, subscriptions, settled, notes, ...given }: RunHubOptions,
): RunningHub {
  const hub = createHub({
    ...given,
    methods: [...writerHub(writer, notes.hubWrite), ...readerHub(broker, subscriptions, config, settled)],
    limits: hubLimits(config),
    node: config.nodeName,
    room: () => waitForRoom(store),
    now: performance.now.bind(performance),
    onReaderLetGo: notes.readerLetGo,
    onUnheard: notes.hubUnheard,
    onEnding: subscriptions.drop,
  });
  const clock = setInterval(hub.tick, hubTickMs);
  return {
    hub,
    async stop() {
      await hub.stop();
      clearInterval(clock);
    },
  };
}
