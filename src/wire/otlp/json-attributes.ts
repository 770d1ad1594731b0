import type { TagPair } from '../../domain/tags.ts';
import { fault } from '../base/fault.ts';
import type { JsonValue } from '../json/json-value.ts';
import { deepestValue, listText, mapText, numberText, textText } from './attribute-text.ts';
import { MessageFields } from './json-values.ts';

/**
 * Attributes in JSON: `[{ "key": …, "value": { one of "stringValue", "boolValue", "intValue", "doubleValue",
 * "arrayValue": { "values": […] }, "kvlistValue": { "values": […] }, "bytesValue" } }]`. Without what has no value.
 */
export function attributesOf(list: readonly JsonValue[], path: string): TagPair[] {
  const pairs: TagPair[] = [];
  for (const [i, element] of list.entries()) {
    const [name, text] = keyValue(element, `${path}[${i}]`, false, 0);
    if (text !== undefined) pairs.push([name, text]);
  }
  return pairs;
}

function keyValue(
  element: JsonValue,
  path: string,
  isWithin: boolean,
  depth: number,
): readonly [name: string, text: string | undefined] {
  const fields = new MessageFields(element, path);
  const value = fields.message('value');
  return [fields.text('key') ?? '', value && textOf(value, isWithin, depth)];
}

function textOf(value: MessageFields, isWithin: boolean, depth: number): string | undefined {
  const text = value.text('stringValue') ?? value.text('bytesValue');
  if (text !== undefined) return textText(text, isWithin);
  const flag = value.flag('boolValue') ?? value.integer('intValue');
  if (flag !== undefined) return String(flag);
  const double = value.double('doubleValue');
  if (double !== undefined) return numberText(double, isWithin);
  const array = value.message('arrayValue');
  const map = value.message('kvlistValue');
  const path = value.pathOf(array === undefined ? 'kvlistValue' : 'arrayValue');
  if (array === undefined && map === undefined) return undefined;
  if (depth === deepestValue) throw fault('too_deep', path, `is nested more than ${deepestValue} deep`);
  const elements = (array ?? map)!.list('values');
  const pathOf = (i: number) => `${path}.values[${i}]`;
  if (array !== undefined)
    return listText(
      elements.map((one, i) => textOf(new MessageFields(one, pathOf(i)), true, depth + 1) ?? 'null'),
    );
  return mapText(
    elements.map((one, i) => {
      const [name, of] = keyValue(one, pathOf(i), true, depth + 1);
      return [name, of ?? 'null'];
    }),
  );
}
