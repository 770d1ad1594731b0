import { PitwallError } from '../../src/errors.ts';
import { message } from '../../src/protobuf/wire-writer.ts';
import { type Steps, whole } from '../../src/turns/steps.ts';
import { collectdCommandSteps } from '../../src/wire/collectd/commands.ts';
import { collectdJsonSteps } from '../../src/wire/collectd/json.ts';
import { prometheusProtobufSteps } from '../../src/wire/series/prometheus-protobuf.ts';
import { prometheusTextSteps } from '../../src/wire/series/prometheus-text.ts';
import type { SeriesRead } from '../../src/wire/series/series-read.ts';
import { defaultPayloadLimits as limits } from '../payload-limits.ts';
import { doubles } from '../wire/metric-messages.ts';
import { mutate } from './mutate.ts';
import type { Target } from './target.ts';

const collectd = { topic: 't', limits, now: () => ({ ms: 1000, ns: 0 }) };
const text = {
  streamLabels: ['instance'],
  limits,
  labels: [],
  now: { ms: 1000, ns: 0 },
  isOpenMetrics: false,
};

const buffers = (texts: readonly string[]): Buffer[] => texts.map((one) => Buffer.from(one));

const commands = buffers([
  'PUTVAL host/cpu-0/cpu-idle interval=10.000 1280959128.123:42\r\n',
  'PUTVAL "my \\"host"/load/load N:1:2.5:U 3:4:5:6\nPUTNOTIF x=1\n# c\n',
]);
const lists = buffers([
  '[{"values":[1,null],"dstypes":["gauge","derive"],"dsnames":["rx","tx"],"time":1280959128.123,"host":"h","plugin":"p","plugin_instance":"","type":"t","type_instance":"i"}]',
]);
const metrics = buffers([
  '# HELP m A \\\\ text\n# TYPE m counter\nm{a="b",le="+Inf"} 1.5 1395066363000\nm 2\n',
  '{"a b","c d"="\\n"} -Inf\nm{job="j",instance="i",} NaN # {x="y"} 1\n# EOF',
]);
/** A histogram, and a gauge with a label. */
const families = [
  message([
    [1, 'took'],
    [3, 4],
    [
      4,
      message([
        [7, Buffer.concat([message([[1, 5]]), doubles([[2, 12.5]]), message([[3, message([[1, 2]])]])])],
      ]),
    ],
  ]),
  message([
    [1, 'level'],
    [2, 'How high'],
    [3, 1],
    [
      4,
      message([
        [
          1,
          message([
            [1, 'a'],
            [2, 'b'],
          ]),
        ],
        [2, doubles([[1, 1.5]])],
        [6, 1000],
      ]),
    ],
  ]),
].map((family) => Buffer.concat([Buffer.from([family.length]), family]));
const words = buffers([
  '"',
  '\\',
  '{',
  '}',
  ',',
  '=',
  ':',
  '/',
  '-',
  '\n',
  ' ',
  'U',
  'N',
  '1e400',
  '[',
  ']',
  'null',
  '# ',
]);

/** A body is read as values that are told or written, no more than it has bytes; or it is refused with an error of ours. */
function target(name: string, corpus: readonly Buffer[], read: (body: Buffer) => Steps<SeriesRead>): Target {
  return {
    name,
    short: 1000,
    make: (random) => mutate(random.pick(corpus), random, words, corpus),
    check(input) {
      try {
        const { streams, values } = whole(read(input));
        let found = 0;
        for (const { rows } of streams)
          for (const { count, columns } of rows) found += count * columns.length;
        if (found !== values) throw new Error(`says ${values} values and has ${found}`);
        if (values > input.length) throw new Error(`${values} values of ${input.length} bytes`);
      } catch (error) {
        if (!(error instanceof PitwallError)) throw error;
      }
    },
  };
}

export const textDoorTargets: readonly Target[] = [
  target('collectd', commands, (body) => collectdCommandSteps(body, collectd)),
  target('collectd-json', lists, (body) => collectdJsonSteps(body, collectd)),
  target('prometheus-protobuf', [...families, Buffer.concat(families)], (body) =>
    prometheusProtobufSteps(body, text),
  ),
  target('prometheus-text', metrics, (body) => prometheusTextSteps(body, text)),
];
