import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createMetrics } from '../../src/metrics.ts';
import { parseQuery } from '../../src/promql/parse.ts';
import { prometheusMissing } from '../e2e/prometheus.ts';
import { root } from '../root.ts';

const folder = join(root, 'packaging/grafana/dashboards');

interface Dashboard {
  readonly uid: string;
  readonly panels: readonly {
    readonly title: string;
    readonly datasource: { readonly uid: string };
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

/** As Grafana puts values in the place of its variables. */
function filled(expr: string): string {
  return expr.replaceAll('$__rate_interval', '1m').replace(/\$\w+/g, 'value');
}

describe('the dashboards of Grafana', () => {
  const files = readdirSync(folder);
  const dashboards = files.map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Dashboard);

  it('ask what can be answered, of the data source that is provisioned', () => {
    const sources = readFileSync(
      join(root, 'packaging/grafana/provisioning/datasources/pitwall.yml'),
      'utf8',
    );
    assert.match(sources, /^ {4}uid: pitwall$/m);
    assert.ok(dashboards.length >= 3);
    for (const { panels } of dashboards) {
      for (const { title, datasource, gridPos, targets } of panels) {
        assert.equal(datasource.uid, 'pitwall', title);
        assert.ok(gridPos.x + gridPos.w <= 24, title);
        assert.ok(targets.length > 0, title);
        for (const { expr } of targets) assert.doesNotThrow(() => parseQuery(filled(expr)), expr);
      }
    }
    assert.equal(new Set(dashboards.map(({ uid }) => uid)).size, dashboards.length);
  });

  it('and the alert rules name metrics that there are', async () => {
    const { registry } = createMetrics();
    const known = await registry.metrics();
    const readings = readFileSync(join(root, 'src/start/readings.ts'), 'utf8');
    const texts = [
      ...files.map((file) => join(folder, file)),
      join(root, 'packaging/prometheus/pitwall.yml'),
    ];
    const named = texts.flatMap((file) => readFileSync(file, 'utf8').match(/\bpitwall_\w+/g) ?? []);
    assert.ok(named.length > 15);
    for (const name of named) {
      const own = name.replace(/_bucket$/, '');
      assert.ok(known.includes(`# TYPE ${own} `) || readings.includes(`'${own}'`), name);
    }
  });

  it('come with alert rules that Prometheus takes', { skip: prometheusMissing }, () => {
    const checked = spawnSync(
      'promtool',
      ['check', 'rules', join(root, 'packaging/prometheus/pitwall.yml')],
      {
        encoding: 'utf8',
      },
    );
    assert.equal(checked.status, 0, checked.stdout + checked.stderr);
    assert.match(checked.stdout, /SUCCESS: 11 rules found/);
  });
});
