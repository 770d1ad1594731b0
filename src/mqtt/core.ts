import type { ByteBudget } from '../ingest/byte-budget.ts';
import type { Door } from '../ingest/doors.ts';
import { uniqueTime } from '../ingest/unique-time.ts';
import type { Writer } from '../ingest/writer.ts';
import { limitNotes, limitTexts } from '../limit-notes.ts';
import type { Log } from '../log.ts';
import type { CatalogWriter } from '../store/store.ts';
import { createTextCache } from '../wire/json/text-cache.ts';
import { SparkplugNodes } from '../wire/mqtt/sparkplug-nodes.ts';
import { topicRule, usualRules } from '../wire/mqtt/topic-rules.ts';
import type { PayloadLimits } from '../wire/rows/payload-limits.ts';
import { Intake } from './intake.ts';
import { topicNotes } from './refusals.ts';
import { Repeats } from './repeats.ts';

export interface MqttCoreOptions {
  readonly store: CatalogWriter;
  readonly writer: Pick<Writer, 'series'>;
  readonly budget: ByteBudget;
  /** Rules of the operator, before the usual ones; as texts. */
  readonly topics: readonly string[];
  readonly timeFields: readonly string[];
  readonly tagProperties: readonly string[];
  readonly streamTags: readonly string[];
  readonly limits: PayloadLimits;
  readonly log: Log;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** What server and client of MQTT share. */
export interface MqttCore {
  /** What comes through a door is taken, and counted there. */
  through(door: Door): MqttDoor;
  stop(): void;
}

export interface MqttDoor {
  readonly door: Door;
  readonly intake: Intake;
  /** ns, never the same twice. */
  readonly nextTime: () => bigint;
  readonly onRefused: (topic: string, reason: string) => void;
}

/** How often what is too old to come again is forgotten. */
const forgetMs = 600_000;

/** Throws an Error for the operator where a rule is wrong. */
export function createMqttCore(options: MqttCoreOptions): MqttCore {
  const { log, now } = options;
  const passed = performance.now.bind(performance);
  const topics = [...options.topics, ...usualRules].map((text) => {
    try {
      return topicRule(text);
    } catch (error) {
      throw new Error(`--mqtt-topics ${(error as Error).message}`);
    }
  });
  const noteFull = limitNotes(passed, (times) =>
    log.warn({ times }, 'messages of MQTT came of which a repeat will not be known: too many are kept'),
  );
  const repeats = new Repeats(options.store, now, noteFull);
  const onRefused = topicNotes(passed, (topic, reason, times) =>
    log.warn({ topic, reason, times }, 'messages of MQTT were not taken, or not wholly'),
  );
  const noteLater = limitTexts(passed, (times, reason) =>
    log.warn({ reason, times }, 'messages of MQTT wait: the store takes none now'),
  );
  const parts = {
    ...options,
    series: options.writer.series,
    repeats,
    nodes: new SparkplugNodes(),
    rules: { ...options, topics, names: createTextCache() },
    onRefused,
    onLater: ({ message }: Error) => noteLater(message),
  };
  const nextTime = uniqueTime(now);
  const clock = setInterval(() => {
    repeats.forgetOld().catch((error: unknown) => log.warn({ err: error }, 'old message numbers stay'));
  }, forgetMs).unref();
  return {
    through: (door) => ({ door, intake: new Intake({ ...parts, door }), nextTime, onRefused }),
    stop: () => clearInterval(clock),
  };
}
