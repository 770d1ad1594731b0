import { readAge } from './age.ts';
import { readFields } from './fields.ts';
import { type MemoryShare, settingsLimits } from './json-memory.ts';
import { emptyObject } from './json-value.ts';
import { propertyNames } from './property-names.ts';
import { decodeBody } from './value.ts';

/**
 * The settings of a topic, replaced as a whole; an empty body means `{}`:
 *
 *   retention  string  age of data by its timestamp (age.ts); absent or null keeps all
 */
const settingsFields = propertyNames(['retention']);

export interface TopicSettings {
  /** Nanoseconds. */
  readonly retention: bigint | undefined;
}

export function decodeTopicSettings(body: Uint8Array, share?: MemoryShare): TopicSettings {
  return {
    retention: readFields(decodeBody(body, settingsLimits, emptyObject, share), settingsFields, '').get(
      'retention',
      readAge,
    ),
  };
}
