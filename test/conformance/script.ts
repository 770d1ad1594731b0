import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PitwallError } from '../../src/errors.ts';
import { propertyNames } from '../../src/wire/base/property-names.ts';
import type { JsonObject, JsonValue } from '../../src/wire/json/json-value.ts';
import { decodeJson } from '../../src/wire/json/value.ts';
import {
  flag,
  integerFrom,
  listOf,
  object,
  oneOf,
  type Read,
  readFields,
  text,
} from '../../src/wire/requests/fields.ts';
import { root } from '../root.ts';

/**
 * A conformance script: one rule of the contract as requests and what they must answer. README.md describes the
 * form for those who write one; numbers keep the text that they have in the file.
 */
export interface Script {
  /** Path below the folder of the scripts, without `.json`. */
  readonly name: string;
  /** A sentence and the section of the contract. */
  readonly rule: string;
  /** Flags of the service, without the dashes; scripts with the same ones share a process. */
  readonly settings: ReadonlyMap<string, string>;
  /** Where the rule holds for some stores only, as docs/clickhouse.md tells. */
  readonly stores: readonly TestedStore[];
  readonly steps: readonly Step[];
}

export const testedStores = ['embedded', 'clickhouse'] as const;
export type TestedStore = (typeof testedStores)[number];

/** Who asks: a scope in the script's own workspace, no one, the operator, or the admin of another workspace. */
export const askers = ['admin', 'write', 'read', 'nobody', 'operator', 'stranger'] as const;
export type Asker = (typeof askers)[number];

export const compressions = ['gzip', 'deflate', 'br'] as const;
export type Compression = (typeof compressions)[number];

export interface Step {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly as: Asker;
  /** Null takes a header out. */
  readonly headers: JsonObject;
  /** At most one of body and bodyText. */
  readonly body: JsonValue | undefined;
  readonly bodyText: string | undefined;
  readonly compress: Compression | undefined;
  readonly status: number;
  /** Asked again until it answers so. */
  readonly eventually: boolean;
  readonly answer: JsonValue | undefined;
  readonly contains: JsonValue | undefined;
  readonly answerText: string | undefined;
  readonly answerLines: readonly string[] | undefined;
  /** Rows of a Parquet or Arrow answer, the names of its columns first. */
  readonly answerTable: JsonValue | undefined;
  /** Null means that there is no such header. */
  readonly headersExpected: JsonObject;
  /** Name to a path into the answer, such as `streamId` or `errors[0].path`. */
  readonly capture: ReadonlyMap<string, string>;
  /** Name to a header of the answer. */
  readonly captureHeaders: ReadonlyMap<string, string>;
}

/** All scripts below a folder, ordered by name. Throws an error that names the file for one that is malformed. */
export function readScripts(folder = join(root, 'test/conformance')): Script[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.replaceAll('\\', '/').slice(0, -'.json'.length))
    .sort()
    .map((name) => readScript(name, readFileSync(join(folder, `${name}.json`))));
}

export function readScript(name: string, bytes: Uint8Array): Script {
  try {
    const fields = readFields(decodeJson(bytes), scriptFields, '');
    return {
      name,
      rule: fields.require('rule', text),
      settings: fields.get('settings', textMap) ?? new Map(),
      stores: fields.get('stores', listOf(oneOf(testedStores))) ?? testedStores,
      steps: fields.require('steps', listOf(step)) ?? [],
    };
  } catch (error) {
    if (!(error instanceof PitwallError)) throw error;
    throw new Error(`${name}.json: ${error.message}`);
  }
}

const scriptFields = propertyNames(['rule', 'settings', 'stores', 'steps']);
const stepFields = propertyNames([
  'request',
  'as',
  'headers',
  'body',
  'bodyText',
  'compress',
  'status',
  'eventually',
  'answer',
  'contains',
  'answerText',
  'answerLines',
  'answerTable',
  'headersExpected',
  'capture',
  'captureHeaders',
]);

const textMap: Read<ReadonlyMap<string, string>> = (value, path) =>
  new Map([...object(value, path)].map(([name, member]) => [name, text(member, `${path}.${name}`)]));

const anything: Read<JsonValue> = (value) => value;

const request: Read<readonly [method: string, path: string]> = (value, path) => {
  const [, method, target] = /^([A-Z]+) (\/\S*)$/.exec(text(value, path)) ?? [];
  if (method === undefined || target === undefined) throw new Error(`${path} must be like POST /streams`);
  return [method, target];
};

const step: Read<Step> = (value, place) => {
  const fields = readFields(value, stepFields, place);
  const [method, path] = fields.require('request', request);
  return {
    method,
    path,
    as: fields.get('as', oneOf(askers)) ?? 'admin',
    headers: fields.get('headers', object) ?? new Map(),
    body: fields.get('body', anything),
    bodyText: fields.get('bodyText', text),
    compress: fields.get('compress', oneOf(compressions)),
    status: fields.get('status', integerFrom(100)) ?? 200,
    eventually: fields.get('eventually', flag) ?? false,
    answer: fields.get('answer', anything),
    contains: fields.get('contains', anything),
    answerText: fields.get('answerText', text),
    answerLines: fields.get('answerLines', (lines, path) => listOf(text)(lines, path) ?? []),
    answerTable: fields.get('answerTable', anything),
    headersExpected: fields.get('headersExpected', object) ?? new Map(),
    capture: fields.get('capture', textMap) ?? new Map(),
    captureHeaders: fields.get('captureHeaders', textMap) ?? new Map(),
  };
};
