import { type EventDefinition, eventLevels, type ParameterDefinition } from '../../domain/definition.ts';
import { normalLocation } from '../../domain/stream.ts';
import type { Steps } from '../../turns/steps.ts';
import { fault } from '../base/fault.ts';
import { propertyNames } from '../base/property-names.ts';
import type { MemoryShare } from '../json/json-memory.ts';
import { describeValue } from '../json/json-value.ts';
import { elementSteps } from '../json/value.ts';
import { defined, double, nameWithin, oneOf, type Read, readFields, textWithin } from '../requests/fields.ts';
import { readValueNames } from '../requests/value-names.ts';
import type { PayloadLimits } from './payload-limits.ts';

/**
 * Definitions: an array of
 *
 *   parameters                                   events
 *   id                string  1..512 bytes       id
 *   name              string                     name
 *   description       string                     description
 *   minimumValue      number  finite             level   Trace, Debug, Information, Warning, Error,
 *   maximumValue      number                             Critical; in any case
 *   valueNames        object  number as text to name
 *   unit              string
 *   format            string
 *   customProperties  string                     customProperties
 *   location          string                     location
 *
 * All but the id are optional; a text has at most 64 KiB; a location gets a slash before it where it has none. At
 * most 4,096 definitions. The body must stay as it is until the last step.
 */
export function parameterDefinitionSteps(
  body: Uint8Array,
  limits: PayloadLimits,
  share?: MemoryShare,
): Steps<ParameterDefinition[]> {
  return listSteps(body, parameterDefinition(limits), limits, share);
}

/** Decodes definitions of events, in steps. */
export function eventDefinitionSteps(
  body: Uint8Array,
  limits: PayloadLimits,
  share?: MemoryShare,
): Steps<EventDefinition[]> {
  return listSteps(body, eventDefinition(limits), limits, share);
}

const parameterNames = propertyNames([
  'id',
  'name',
  'description',
  'minimumValue',
  'maximumValue',
  'valueNames',
  'unit',
  'format',
  'customProperties',
  'location',
]);
const eventNames = propertyNames(['id', 'name', 'description', 'customProperties', 'location', 'level']);

function parameterDefinition(limits: PayloadLimits): Read<ParameterDefinition> {
  const id = nameWithin(limits.maxNameBytes);
  const free = textWithin(limits.maxStringBytes);
  return (value, path) => {
    const fields = readFields(value, parameterNames, path);
    return {
      id: fields.require('id', id),
      ...defined({
        name: fields.get('name', free),
        description: fields.get('description', free),
        minimumValue: fields.get('minimumValue', double),
        maximumValue: fields.get('maximumValue', double),
        valueNames: fields.get('valueNames', readValueNames(free)),
        unit: fields.get('unit', free),
        format: fields.get('format', free),
        customProperties: fields.get('customProperties', free),
        location: fields.get('location', locationOf(free)),
      }),
    };
  };
}

function eventDefinition(limits: PayloadLimits): Read<EventDefinition> {
  const id = nameWithin(limits.maxNameBytes);
  const free = textWithin(limits.maxStringBytes);
  return (value, path) => {
    const fields = readFields(value, eventNames, path);
    return {
      id: fields.require('id', id),
      ...defined({
        name: fields.get('name', free),
        description: fields.get('description', free),
        customProperties: fields.get('customProperties', free),
        location: fields.get('location', locationOf(free)),
        level: fields.get('level', oneOf(eventLevels)),
      }),
    };
  };
}

function locationOf(free: Read<string>): Read<string> {
  return (value, path) => normalLocation(free(value, path));
}

function* listSteps<Definition>(
  body: Uint8Array,
  read: Read<Definition>,
  limits: PayloadLimits,
  share: MemoryShare | undefined,
): Steps<Definition[]> {
  const list: Definition[] = [];
  yield* elementSteps(body, elementReader(list, read, limits), share);
  return list;
}

/** Reads one element after another into `list`. */
function elementReader<Definition>(
  list: Definition[],
  read: Read<Definition>,
  { maxParameters }: PayloadLimits,
): Read<void> {
  return (element, path) => {
    // One that stands alone instead of in an array.
    if (path === '') throw fault('wrong_type', '', `must be an array, not ${describeValue(element)}`);
    if (list.length === maxParameters)
      throw fault('too_many_parameters', '', `has more than ${maxParameters} definitions`);
    list.push(read(element, path));
  };
}
