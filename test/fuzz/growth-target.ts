import { CommandError } from '../../src/cli/command.ts';
import { PitwallError } from '../../src/errors.ts';
import { jsonHubProtocol } from '../../src/hub/protocol/json-hub-protocol.ts';
import { messagePackHubProtocol } from '../../src/hub/protocol/messagepack-hub-protocol.ts';
import { openText } from '../../src/import/text/open-text.ts';
import { surveyText } from '../../src/import/text/survey-text.ts';
import { TextFault } from '../../src/import/text/text-layout.ts';
import { whole } from '../../src/turns/steps.ts';
import { lineSteps } from '../../src/wire/lines/line-protocol.ts';
import { decodeStreamFilter } from '../../src/wire/requests/stream-filter.ts';
import { eventSteps } from '../../src/wire/rows/event-data.ts';
import { ParameterDataDecoder } from '../../src/wire/rows/parameter-data.ts';
import { defaultPayloadLimits as limits } from '../payload-limits.ts';
import { randomOf } from './random.ts';
import type { Target } from './target.ts';

const decoder = new ParameterDataDecoder(limits);
const hub = { int64AsString: false, maxDepth: 64, maxArguments: 3, maxJsonBytes: 2 ** 26 };

/** A reader, and pieces of which inputs are made: a beginning, and what is repeated behind it. */
interface Family {
  readonly read: (input: Buffer) => unknown;
  readonly heads: readonly string[];
  readonly units: readonly string[];
}

const json = {
  heads: [
    '',
    '[',
    '{',
    '{"timestamps":[',
    '{"timestamps":[1],"numericValues":{',
    '{"streamIds":[',
    '[{"id":"',
    '"',
  ],
  units: [
    '[',
    '{"a":',
    '1,',
    '"a",',
    '{},',
    '[],',
    ' ',
    '\\u0041',
    '\\',
    '"#":1,',
    '"#":[1],',
    '"#":null,',
    '9',
    'é',
    '[{"a":"',
  ],
};

/** In each unit `#` is the number of its place, so that names differ. */
const families: readonly Family[] = [
  { ...json, read: (input) => decodeStreamFilter(input) },
  { ...json, read: (input) => decoder.decode(input) },
  { ...json, read: (input) => decoder.decodeBatch(input) },
  { ...json, read: (input) => whole(eventSteps(input, limits)) },
  {
    ...json,
    heads: [...json.heads, '{"type":1,"target":"a","arguments":['],
    read: jsonHubProtocol(hub).parse,
  },
  {
    heads: ['', '\x95\x01\x80\xc0\xa1a', '\x96\x01\x80\xc0\xa1a\xdc\xff\xff', '\x91'],
    units: ['\x91', '\x81', '\xc0', '\xdd\x7f\xff\xff\xff', '\xa1a', '\xc7\x00', '\x80', '\x95\x01'],
    read: messagePackHubProtocol(hub).parse,
  },
  {
    heads: ['', 'm f="', 'm,a=', 'm f=1'],
    units: [
      'm f=1\n',
      'm#,t=# f#=1 #\n',
      ',f#=1',
      '\\',
      '"',
      '\n',
      ' ',
      ',',
      '=',
      '#\n',
      'm f="\n',
      'm f="\\',
      '9',
    ],
    read: (input) => whole(lineSteps(input, { unit: 1n, now: 1n, streamTags: ['t'], limits })),
  },
  {
    heads: ['Timestamp'],
    units: [',c#', ',TAG__#', ',c# (string)', '\n1'],
    read: surveyOf,
  },
  {
    heads: ['"Format","MoTeC CSV File"', 'Time;a [km/h]\ns;m\n'],
    units: ['\n#;1,5', ',', '"', '\n12:00:00,#;-', ' ', '"Beacon Markers","# #"\n', '\t1', ':', '\n\n'],
    read: surveyOf,
  },
];

const smallBytes = 64 * 1024;
/** Twice the length may take twice the time; a square would take four times. The machine may have been busy elsewhere. */
const mostGrowth = 3.2;
const idleMs = 20;
const looks = 6;

/**
 * Time grows with the length of an input, not with its square. This is the one claim that looks at the clock, so it is
 * no part of `npm test`.
 */
export const growthTarget: Target = {
  name: 'growth',
  short: 0,
  make: (random) => Buffer.from([random.below(families.length), random.below(256), random.below(256)]),
  async check(input) {
    const random = randomOf(input);
    const { read, heads, units } = families[(input[0] ?? 0) % families.length]!;
    const head = random.pick(heads);
    const chosen = random.once(2) ? [random.pick(units)] : [random.pick(units), random.pick(units)];
    const make = (bytes: number): Buffer => {
      const parts = [head];
      for (let length = 0, i = 0; length < bytes; i++) {
        const unit = chosen[i % chosen.length]!.replaceAll('#', String(i));
        parts.push(unit);
        length += unit.length;
      }
      return Buffer.from(parts.join(''), 'latin1');
    };
    const small = make(smallBytes);
    const large = make(2 * smallBytes);
    let growth = Number.POSITIVE_INFINITY;
    for (let look = 0; look < looks && growth > mostGrowth; look++) {
      const before = await timeOf(read, small);
      const after = await timeOf(read, large);
      growth = Math.min(growth, after < idleMs ? 0 : after / before);
    }
    if (growth > mostGrowth)
      throw new Error(
        `${JSON.stringify([head, ...chosen])} takes ${growth.toFixed(1)} times as long when twice as long`,
      );
  },
};

async function timeOf(read: Family['read'], input: Buffer): Promise<number> {
  const start = performance.now();
  try {
    await read(input);
  } catch (error) {
    if (!(error instanceof PitwallError || error instanceof CommandError)) throw error;
  }
  return performance.now() - start;
}

async function surveyOf(input: Buffer): Promise<void> {
  const read = async (offset: number, length: number) =>
    Uint8Array.from(input.subarray(offset, offset + length));
  const file = { size: input.length, read };
  try {
    await surveyText(file, await openText(file, {}), () => undefined);
  } catch (error) {
    if (!(error instanceof TextFault)) throw error;
  }
}
