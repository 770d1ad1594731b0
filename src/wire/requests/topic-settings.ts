import { propertyNames } from '../base/property-names.ts';
import { type MemoryShare, settingsLimits } from '../json/json-memory.ts';
import { emptyObject } from '../json/json-value.ts';
import { decodeBody } from '../json/value.ts';
import { readAge } from './age.ts';
import { readFields } from './fields.ts';

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
