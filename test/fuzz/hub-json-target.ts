import { PitwallError } from '../../src/errors.ts';
import type { HubMessage } from '../../src/hub/protocol/hub-message.ts';
import { jsonHubProtocol } from '../../src/hub/protocol/json-hub-protocol.ts';
import { skipValue } from '../../src/hub/protocol/skip-value.ts';
import { whole } from '../../src/turns/steps.ts';
import { openScan } from '../../src/wire/json/json-scanner.ts';
import { makeJson, textOf } from './json-target.ts';
import type { Target } from './target.ts';

/** Skipping a document that JSON.parse takes ends where it ends, and tells its depth; skipping others ends within. */
export const skipTarget: Target = {
  name: 'json-skip',
  short: 5000,
  make: makeJson,
  check(input) {
    const text = textOf(input);
    if (text === undefined) return;
    const parsed = parse(text);
    const scan = openScan(input);
    let depth: number;
    try {
      depth = whole(skipValue(scan));
    } catch (error) {
      if (error instanceof PitwallError && parsed === undefined) return;
      throw error;
    }
    if (scan.at > scan.end) throw new Error('goes beyond the end');
    if (parsed === undefined) return;
    const behind = input.toString('utf8', scan.at).trim();
    if (behind !== '') throw new Error(`stops before ${behind}`);
    if (depth !== levelsOf(input)) throw new Error(`tells ${depth} levels of ${levelsOf(input)}`);
  },
};

/** The arguments of a call are those that JSON.parse reads, the first of them at least. */
export const hubJsonTarget: Target = {
  name: 'hub-json',
  short: 3000,
  make(random) {
    const count = random.below(6);
    const parts: Buffer[] = [];
    for (let i = 0; i < count; i++) parts.push(Buffer.from(makeJson(random)), comma);
    const id = random.once(2) ? `"invocationId":"${random.below(100)}",` : '';
    const head = `{"type":${random.once(6) ? random.below(9) : 1},${id}"target":"Send","arguments":[`;
    return Buffer.concat([Buffer.from(head), ...parts.slice(0, -1), Buffer.from(']}')]);
  },
  check(input) {
    const text = textOf(input);
    const parsed = text === undefined ? undefined : parse(text);
    let message: HubMessage;
    try {
      message = whole(protocol.parse(input));
    } catch (error) {
      if (!(error instanceof PitwallError)) throw error;
      if (parsed !== undefined) throw new Error(`refuses with ${error.code} what JSON.parse takes`);
      return;
    }
    if (message.kind !== 'invocation' || parsed === undefined) return;
    const expected = (parsed.value as { arguments?: unknown[] }).arguments ?? [];
    const found = message.arguments.map((argument) => {
      try {
        return JSON.stringify(JSON.parse(Buffer.from(argument.json()).toString()));
      } catch (error) {
        if (error instanceof PitwallError && error.code === 'too_deep') return 'too_deep';
        throw error;
      }
    });
    const isRight =
      found.length === Math.min(expected.length, maxArguments) &&
      message.hasMore === expected.length > maxArguments &&
      found.every((json, i) =>
        json === 'too_deep' ? levelsOf(input) > 64 : json === JSON.stringify(expected[i]),
      );
    if (!isRight) throw new Error(`reads ${found.join()}`);
  },
};

const maxArguments = 3;
const protocol = jsonHubProtocol({ int64AsString: false, maxDepth: 64, maxArguments, maxJsonBytes: 2 ** 26 });
const comma = Buffer.from(',');

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** The deepest level of brackets outside of strings, in a document that is valid. */
function levelsOf(input: Buffer): number {
  let depth = 0;
  let deepest = 0;
  for (const [bracket] of input.toString('latin1').matchAll(/"(?:[^"\\]|\\.)*"|[[{}\]]/g)) {
    if (bracket === '[' || bracket === '{') deepest = Math.max(deepest, ++depth);
    else if (bracket === ']' || bracket === '}') depth--;
  }
  return deepest;
}
