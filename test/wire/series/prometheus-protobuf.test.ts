import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { message } from '../../../src/protobuf/wire-writer.ts';
import { whole } from '../../../src/turns/steps.ts';
import { prometheusProtobufSteps } from '../../../src/wire/series/prometheus-protobuf.ts';
import { prometheusTextSteps } from '../../../src/wire/series/prometheus-text.ts';
import type { SeriesRead } from '../../../src/wire/series/series-read.ts';
import { defaultPayloadLimits } from '../../payload-limits.ts';
import { doubles } from '../metric-messages.ts';
import { plainRows } from '../payloads.ts';

const rules = {
  streamLabels: ['instance'],
  limits: defaultPayloadLimits,
  labels: [['job', 'backup']] as const,
  now: { ms: 7000, ns: 0 },
};

const rowsOf = ({ streams }: SeriesRead) =>
  streams.flatMap(({ topic, streamId, rows }) =>
    plainRows(rows).map((row) => JSON.stringify([topic, streamId, String(row.time), row.tags, row.values])),
  );
const families = (all: readonly Buffer[]) =>
  Buffer.concat(all.flatMap((one) => [Buffer.from([(one.length & 0x7f) | 0x80, one.length >> 7]), one]));
const label = (name: string, value: string) =>
  message([
    [1, name],
    [2, value],
  ]);

describe('the protobuf format of Prometheus', () => {
  it('says what the text format says', () => {
    const disk = [1, label('disk', 'sda')] as const;
    const body = families([
      message([
        [1, 'runs_total'],
        [2, 'How often'],
        [3, 0],
        [4, message([disk, [3, doubles([[1, 3]])], [6, 1_700_000_000_000]])],
        [
          4,
          message([
            [1, label('disk', 'sdb')],
            [3, doubles([[1, Number.NaN]])],
          ]),
        ],
      ]),
      message([
        [1, 'level'],
        [3, 1],
        [4, message([[2, doubles([[1, -1.5]])]])],
      ]),
      message([
        [1, 'odd'],
        [3, 3],
        [4, message([[5, doubles([[1, Number.POSITIVE_INFINITY]])]])],
      ]),
      message([
        [1, 'wait'],
        [3, 2],
        [
          4,
          message([
            disk,
            [
              4,
              Buffer.concat([
                message([[1, 4]]),
                doubles([[2, 9.5]]),
                message([
                  [
                    3,
                    doubles([
                      [1, 0.5],
                      [2, 2],
                    ]),
                  ],
                ]),
              ]),
            ],
          ]),
        ],
      ]),
      message([
        [1, 'took'],
        [3, 4],
        [5, 'seconds'],
        [
          4,
          message([
            [
              7,
              Buffer.concat([
                message([[1, 5]]),
                doubles([[2, 12.5]]),
                ...[
                  [2, 0.00001],
                  [3, 0.25],
                  [4, 2_500_000],
                ].map(([count, bound]) =>
                  message([[3, Buffer.concat([message([[1, count!]]), doubles([[2, bound!]])])]]),
                ),
              ]),
            ],
          ]),
        ],
      ]),
    ]);
    const text = `# HELP runs_total How often
# TYPE runs_total counter
runs_total{disk="sda"} 3 1700000000000
runs_total{disk="sdb"} NaN
# TYPE level gauge
level -1.5
# TYPE odd untyped
odd +Inf
# TYPE wait summary
wait{disk="sda",quantile="0.5"} 2
wait_sum{disk="sda"} 9.5
wait_count{disk="sda"} 4
# TYPE took histogram
# UNIT took seconds
took_bucket{le="1e-05"} 2
took_bucket{le="0.25"} 3
took_bucket{le="2.5e+06"} 4
took_bucket{le="+Inf"} 5
took_sum 12.5
took_count 5
`;
    const said = whole(prometheusTextSteps(Buffer.from(text), { ...rules, isOpenMetrics: false }));
    const read = whole(prometheusProtobufSteps(body, rules));
    assert.deepEqual(rowsOf(read).sort(), rowsOf(said).sort());
    assert.equal(read.values, said.values);
    assert.deepEqual([...read.families].sort(), [...said.families].sort());
  });

  it('is refused as a whole where something is wrong, and bounded', () => {
    const twice = message([
      [1, 'm'],
      [3, 1],
      [4, message([[2, doubles([[1, 1]])]])],
      [4, message([[2, doubles([[1, 2]])]])],
    ]);
    for (const [body, text] of [
      [Buffer.from([200, 1, 2]), /goes beyond the body/],
      [Buffer.from([3, 0, 0, 0]), /number 0/],
      [families([twice]), /the metric "m": is of a series that stands there before/],
      [
        families([
          message([
            [1, ''],
            [4, message([[2, doubles([[1, 1]])]])],
          ]),
        ]),
        /the metric "": /,
      ],
    ] as const)
      assert.throws(() => whole(prometheusProtobufSteps(body, rules)), {
        code: 'bad_request',
        message: text,
      });
  });
});
