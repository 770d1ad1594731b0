import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whole } from '../../../src/turns/steps.ts';
import { prometheusTextSteps, type TextRules } from '../../../src/wire/series/prometheus-text.ts';
import { defaultPayloadLimits } from '../../payload-limits.ts';
import { plainRows } from '../payloads.ts';

const rules: TextRules = {
  streamLabels: ['instance'],
  limits: defaultPayloadLimits,
  labels: [
    ['job', 'backup'],
    ['instance', 'db1'],
  ],
  now: { ms: 7000, ns: 0 },
  isOpenMetrics: false,
};

const read = (text: string, given = rules) => whole(prometheusTextSteps(Buffer.from(text), given));
const rowsOf = (text: string, given = rules) =>
  read(text, given).streams.flatMap(({ topic, streamId, rows }) =>
    plainRows(rows).map(({ time, tags, values }) => [
      `${topic}/${streamId}`,
      Number(time / 1_000_000n),
      tags,
      values,
    ]),
  );

describe('the text format of Prometheus', () => {
  it('is read after its documentation', () => {
    // The example of the documentation, "Text format example", without its comments.
    const text = `# HELP http_requests_total The total number of HTTP requests.
# TYPE http_requests_total counter
http_requests_total{method="post",code="200"} 1027 1395066363000
msdos_file_access_time_seconds{path="C:\\\\DIR\\\\FILE.TXT",error="Cannot find file:\\n\\"FILE.TXT\\""} 1.458255915e9
metric_without_timestamp_and_labels 12.47

something_weird{problem="division by zero",} +Inf -3982045
# HELP quantile A summary, \\\\ and \\n.
rpc_duration_seconds{quantile="0.5"} NaN
`;
    assert.deepEqual(rowsOf(text), [
      ['backup/db1', 1395066363000, '[["code","200"],["method","post"]]', { '0:http_requests_total': 1027 }],
      [
        'backup/db1',
        7000,
        JSON.stringify([
          ['error', 'Cannot find file:\n"FILE.TXT"'],
          ['path', 'C:\\DIR\\FILE.TXT'],
        ]),
        { '0:msdos_file_access_time_seconds': 1458255915 },
      ],
      ['backup/db1', 7000, '[]', { '0:metric_without_timestamp_and_labels': 12.47 }],
      [
        'backup/db1',
        -3982045,
        '[["problem","division by zero"]]',
        { '0:something_weird': Number.POSITIVE_INFINITY },
      ],
      ['backup/db1', 7000, '[["quantile","0.5"]]', { '0:rpc_duration_seconds': Number.NaN }],
    ]);
    assert.deepEqual(
      [...read(text).families],
      [
        ['http_requests_total', { help: 'The total number of HTTP requests.', type: 'counter' }],
        ['quantile', { help: 'A summary, \\ and \n.' }],
      ],
    );
  });

  it('takes names in quotes, labels of the address before its own, and OpenMetrics', () => {
    assert.deepEqual(rowsOf('{"engine.rpm", "a b"="c"} 1\nm{job="x",instance="y"} 2'), [
      ['backup/db1', 7000, '[["a b","c"]]', { '0:engine.rpm': 1 }],
      ['backup/db1', 7000, '[]', { '0:m': 2 }],
    ]);
    const text = '# TYPE m counter\n# UNIT m seconds\nm_total{a="#"} 5 1.5 # {trace_id="x"} 1\n# EOF';
    const found = read(text, { ...rules, isOpenMetrics: true });
    assert.deepEqual([...found.families], [['m', { type: 'counter', unit: 'seconds' }]]);
    assert.deepEqual(rowsOf(text, { ...rules, isOpenMetrics: true }), [
      ['backup/db1', 1500, '[["a","#"]]', { '0:m_total': 5 }],
    ]);
    assert.deepEqual([...found.refused.counts], [['exemplar', 1]]);
  });

  it('counts numbers that no double holds', () => {
    const vanished = `m{n="0"} 1e-400\nm{n="1"} -0.${'0'.repeat(400)}1\nm{n="2"} 9007199254740993\n`;
    const exact = 'm{n="3"} 0\nm{n="4"} -0e-400\nm{n="5"} 9007199254740992\nm{n="6"} 5e-324\nm{n="7"} NaN\n';
    assert.deepEqual([...read(vanished + exact).refused.counts], [['rounded', 3]]);
  });

  it('has the times of OpenMetrics to the nanosecond', () => {
    const text = ['1700000000.123456789', '1700000000.12345679', '-0.000000001', '1.7000000005e+09', '2e0']
      .map((time, i) => `m ${i} ${time}\n`)
      .join('');
    const times = read(text, { ...rules, isOpenMetrics: true }).streams.flatMap(({ rows }) =>
      plainRows(rows).map(({ time, values }) => [values['0:m'], String(time)]),
    );
    assert.deepEqual(times.sort(), [
      [0, '1700000000123456789'],
      [1, '1700000000123456790'],
      [2, '-1'],
      [3, '1700000000500000000'],
      [4, '2000000000'],
    ]);
    for (const time of ['1e', 'x', '99999999999', '1e999', '.5'])
      assert.throws(() => read(`m 1 ${time}\n`, { ...rules, isOpenMetrics: true }), {
        message: /is no time in seconds/,
      });
  });

  it('names the line that is wrong, and takes nothing then', () => {
    for (const [line, text] of [
      ['m', /line 2: there is no value: "m"/],
      ['m x', /line 2: "x" is no number/],
      ['m 1e999', /line 2: "1e999" is beyond the range of a 64-bit floating point number/],
      ['m 1 2 3', /line 2: there is a word too many/],
      ['m 1 1.5', /line 2: "1.5" is no time in whole milliseconds/],
      ['m 1 99999999999999', /is no time/],
      ['{a="b"} 1', /there is no label __name__/],
      ['m{a=b} 1', /line 2: the label "a" has no value in quotes/],
      ['m{a="b} 1', /its labels|no value in quotes/],
      ['m{a="1" b="2"} 1', /neither a comma nor a bracket behind "a"/],
      ['m{a="1",a="2"} 1', /the label "?a"? stands twice/],
      ['1m 1', /line 2: there is no name/],
      [`m{a="${'x'.repeat(1 << 20)}"} 1`, /line 2: has more than 1048576 bytes/],
      [`m{${'a="",'.repeat(300)}} 1`, /line 2: has more than 259 labels/],
      ['good 2', /line 2: is of a series that stands there before/],
    ] as const)
      assert.throws(() => read(`good 1\n${line}\n`), { code: 'bad_request', message: text }, line);
  });
});
