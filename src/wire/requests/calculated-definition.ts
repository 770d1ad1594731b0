import type { CalculatedDefinition } from '../../domain/definition.ts';
import { normalLocation } from '../../domain/stream.ts';
import { fault } from '../base/fault.ts';
import { maxNameBytes } from '../base/name.ts';
import { propertyNames } from '../base/property-names.ts';
import { type MemoryShare, settingsLimits } from '../json/json-memory.ts';
import { decodeBody } from '../json/value.ts';
import { expression } from './expression.ts';
import { defined, double, listOf, nameWithin, type Read, readFields, textWithin } from './fields.ts';
import { readValueNames } from './value-names.ts';

/**
 * Calculated parameters of a topic: an array of
 *
 *   id                string  1..512 bytes       each once
 *   expression        string                     docs/query.md; it has a parameter
 *   name, unit, location     string, at most 4 KiB each; a location gets a slash before it where it has none
 *   description       string, at most 4 KiB
 *   minimumValue, maximumValue   number, finite
 *   valueNames        object, number as text to name of at most 4 KiB
 *
 * All but id and expression are optional.
 */
const names = propertyNames([
  'id',
  'expression',
  'name',
  'description',
  'unit',
  'minimumValue',
  'maximumValue',
  'valueNames',
  'location',
]);
const id = nameWithin(maxNameBytes);
const free = textWithin(4096);
const location: Read<string> = (value, path) => normalLocation(free(value, path));

const definition: Read<CalculatedDefinition> = (value, path) => {
  const fields = readFields(value, names, path);
  return {
    id: fields.require('id', id),
    expression: fields.require('expression', expression).text,
    ...defined({
      name: fields.get('name', free),
      description: fields.get('description', free),
      unit: fields.get('unit', free),
      minimumValue: fields.get('minimumValue', double),
      maximumValue: fields.get('maximumValue', double),
      valueNames: fields.get('valueNames', readValueNames(free)),
      location: fields.get('location', location),
    }),
  };
};
const definitions = listOf(definition);

/** Throws faults that name their places; `invalid_value` for an id that stands twice. */
export function decodeCalculatedDefinitions(body: Uint8Array, share?: MemoryShare): CalculatedDefinition[] {
  const list = definitions(decodeBody(body, settingsLimits, undefined, share), '') ?? [];
  const places = new Map<string, number>();
  for (const [place, one] of list.entries()) {
    const other = places.get(one.id);
    if (other !== undefined)
      throw fault('invalid_value', `[${place}].id`, `is the id of [${other}] too; name each once`);
    places.set(one.id, place);
  }
  return [...list];
}
